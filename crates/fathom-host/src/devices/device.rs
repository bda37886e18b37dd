//! One device that could be measured, and what uses it now.

use std::path::{Path, PathBuf};

use super::ContentsByNode;
use super::attachment::Attachment;
use fathom_device::device::{DevNumber, DiskKind, Graph, Identity, Node, Relation};
use fathom_device::root::{Root, Unknown, Why};
use fathom_device::signature::{Class, Contents};
use fathom_device::zones::DeviceZones;
use fathom_guard::{
    ConsentNeeded, Door, Facts, Finding, FindingKind, SharedFacts, Weight, consent_needed, inspect,
};
use serde::Serialize;

/// A disk, an array, a volume or a partition.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MeasurableDevice {
    /// The path to type: `/dev/nvme0n1`, `/dev/mapper/vg-data`.
    #[serde(with = "fathom_device::saved_path")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub path: PathBuf,
    /// Kernel name.
    pub name: String,
    /// Model, as the device gives it; for a device that is made of something, what it is (`raid5`,
    /// `LVM volume`, the file of a loop device).
    pub model: Option<String>,
    /// Serial number of the disk.
    pub serial: Option<String>,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Logical block in bytes: the smallest I/O.
    pub logical_block_bytes: Option<u32>,
    /// Its zones, if it is a zoned device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<DeviceZones>,
    /// How it is attached.
    pub attached: Attachment,
    /// What it is used for, or what it holds; empty if that is not known.
    pub uses: Vec<DeviceUse>,
    /// Why it cannot be read; `None` where reading is safe and possible.
    pub unreadable: Option<Unknown>,
    /// Whether only root may read it.
    pub needs_root: bool,
    /// What writing would risk.
    pub writing: Writing,
    /// Its partitions, in their order.
    pub partitions: Vec<MeasurableDevice>,
}

impl MeasurableDevice {
    pub(super) fn read(
        root: &Root,
        number: DevNumber,
        surroundings: &Result<SharedFacts, Unknown>,
        contents: &ContentsByNode,
    ) -> Result<Self, Unknown> {
        let facts = surroundings.clone().and_then(|surroundings| {
            Facts::about(root, surroundings, number, |node| contents.look_into(node))
        });
        let (graph, identity) = match &facts {
            Ok(facts) => (facts.graph.clone(), facts.identity.clone()),
            Err(_) => {
                let graph = Graph::read(root, number)?;
                (graph.clone(), Identity::read(root, &graph)?)
            }
        };
        let held = contents.of(&identity.kernel_name);
        // More rights than those of root would not help: a container or the hypervisor forbids it.
        let is_root = root.is_live() && fathom_device::sys::user() == 0;
        let (writing, uses) = match &facts {
            Ok(facts) => (Writing::judge(facts, inspect(facts)), uses(root, facts, &held)),
            Err(unknown) => (Writing::unknown(unknown.clone()), Vec::new()),
        };
        let mut own: Vec<&Node> = partitions(&graph).collect();
        own.sort_by_key(|node| node.partition);
        let read = |node: &&Node| Self::read(root, node.number, surroundings, contents);
        Ok(Self {
            path: path(root, &graph),
            model: identity.model.clone().or_else(|| made_as(root, &identity, graph.whole_disk())),
            serial: identity.serial.clone(),
            size_bytes: identity.size_bytes,
            logical_block_bytes: identity.logical_block_bytes,
            zones: DeviceZones::read(root, &graph.whole_disk().sys_dir.join("queue")),
            attached: Attachment::read(root, &identity, graph.whole_disk()),
            uses,
            needs_root: !is_root && held.as_ref().is_err_and(Unknown::is_denied),
            unreadable: held
                .err()
                .filter(|unknown| (is_root || unknown.why != Why::Denied) && root.is_live()),
            writing,
            partitions: own.iter().map(read).collect::<Result<_, _>>()?,
            name: identity.kernel_name,
        })
    }
}

/// The partitions of the target itself.
fn partitions(graph: &Graph) -> impl Iterator<Item = &Node> {
    let dir = graph.target().sys_dir.clone();
    let partitions = graph.nodes().iter().filter(|node| node.relation == Relation::Partition);
    partitions.filter(move |node| node.sys_dir.parent() == Some(dir.as_path()))
}

/// A volume has the name that a person gave it.
fn path(root: &Root, graph: &Graph) -> PathBuf {
    let target = graph.target();
    match root.read_text(target.sys_dir.join("dm/name")) {
        Ok(name) if !name.is_empty() => Path::new("/dev/mapper").join(name),
        _ => target.dev_path.clone(),
    }
}

/// Beginnings of the UUIDs that the makers of device-mapper volumes give (lvm2, cryptsetup,
/// multipath-tools, kpartx).
const VOLUMES: [(&str, &str); 4] = [
    ("LVM-", "LVM volume"),
    ("CRYPT-", "encrypted volume"),
    ("mpath-", "multipath device"),
    ("part", "partition of a volume"),
];

/// What a device is that has no model.
fn made_as(root: &Root, identity: &Identity, whole: &Node) -> Option<String> {
    let text = |file: &str| root.read_text(whole.sys_dir.join(file)).ok().filter(|text| !text.is_empty());
    match identity.kind {
        DiskKind::Loop => identity.backing_file.as_ref().map(|file| file.display().to_string()),
        DiskKind::Md => text("md/level"),
        DiskKind::Ram if whole.name.starts_with("zram") => Some("compressed memory".to_owned()),
        DiskKind::DeviceMapper => {
            let uuid = text("dm/uuid").unwrap_or_default();
            let maker = VOLUMES.iter().find(|(begins, _)| uuid.starts_with(begins));
            maker.map(|(_, called)| (*called).to_owned())
        }
        _ => None,
    }
}

// What writing to a device would risk: the guard's verdict, for a person who asks beforehand.

/// The verdict about writing to a device, the strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WritingVerdict {
    /// fathom refuses, whatever is typed.
    Refused,
    /// It is not known what the device holds.
    Unknown,
    /// What the device holds would be lost.
    Destroys,
    /// The device looks blank, but another program has it open for reading. The guard asks for the
    /// same consent as for data.
    ReadByOthers,
    /// The device looks blank.
    Blank,
}

/// What writing would risk, and what must be typed for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Writing {
    /// The verdict.
    pub verdict: WritingVerdict,
    /// The option that allows it (`--write SERIAL`, `--destroy SERIAL`), quoted for a shell; `None`
    /// where no option does.
    pub option: Option<String>,
    /// The guard's findings, the most severe first.
    pub findings: Vec<Finding>,
    /// Why the guard could not look, where it could not.
    pub unknown: Option<Unknown>,
}

impl Writing {
    /// The verdict of the guard's rules for fathom's own commands.
    pub(super) fn judge(facts: &Facts, findings: Vec<Finding>) -> Self {
        let (verdict, option) = match consent_needed(facts, &findings, Door::Native) {
            ConsentNeeded::Impossible => (WritingVerdict::Refused, None),
            ConsentNeeded::Destroy(option) if is_only_read(&findings) => {
                (WritingVerdict::ReadByOthers, option)
            }
            ConsentNeeded::Destroy(_) if !is_something_known(&findings) => (WritingVerdict::Unknown, None),
            ConsentNeeded::Destroy(option) => (WritingVerdict::Destroys, option),
            ConsentNeeded::Write(option) => (WritingVerdict::Blank, option),
            // Only at the fio door.
            ConsentNeeded::Nothing => (WritingVerdict::Blank, None),
        };
        Self { verdict, option, findings, unknown: None }
    }

    /// The guard could not gather its facts, and would refuse.
    pub(super) fn unknown(unknown: Unknown) -> Self {
        let verdict = WritingVerdict::Unknown;
        Self { verdict, option: None, findings: Vec::new(), unknown: Some(unknown) }
    }
}

/// Whether the readers are all that asks for more than the consent to write.
fn is_only_read(findings: &[Finding]) -> bool {
    let mut strong = findings.iter().filter(|f| f.weight > Weight::Permission);
    strong.all(|f| f.kind == FindingKind::OpenForReading)
}

/// Whether something was found in the device, and not only readers or that it cannot be read.
fn is_something_known(findings: &[Finding]) -> bool {
    use FindingKind::{OpenForReading, Unreadable};
    let says_nothing = |f: &&Finding| matches!(f.kind, OpenForReading | Unreadable);
    findings.iter().filter(|f| f.weight > Weight::Permission).any(|f| !says_nothing(&f))
}

// What a device is used for.

/// One use of a device, or what it holds if it has no use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum DeviceUse {
    /// A file system that is mounted.
    Mounted {
        /// Where.
        #[serde(with = "fathom_device::saved_path")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        point: PathBuf,
        /// Its type.
        fs_type: String,
    },
    /// Active swap.
    Swap,
    /// Another device is made of it.
    Member {
        /// What is made of it, as a person calls it (`md0`, `vg-root`).
        of: String,
    },
    /// It is one of the devices of a mounted file system.
    Pool {
        /// The file system: type and UUID.
        pool: String,
    },
    /// A loop device is over it, or over its file.
    Loop {
        /// Kernel name of the loop device.
        device: String,
    },
    /// Another program has it open for writing.
    Open {
        /// The program.
        program: String,
        /// Its process.
        pid: u32,
    },
    /// Another program has it open for reading.
    OpenForReading {
        /// The program.
        program: String,
        /// Its process.
        pid: u32,
    },
    /// The running system needs it.
    System {
        /// What for.
        purpose: String,
    },
    /// It takes no writes.
    ReadOnly,
    /// It holds something that nobody uses now.
    Holds {
        /// What it holds: `ext4`, `LVM2 member`.
        format: String,
        /// What kind of thing that is.
        class: Class,
    },
    /// It has partitions, of which none is used.
    Partitions {
        /// How many.
        count: usize,
    },
    /// It holds data of no known format.
    UnknownData,
    /// It looks blank.
    Blank,
}

/// What the device is used for, the most important first; what it holds, if nothing uses it; empty
/// if that is not known.
pub(super) fn uses(root: &Root, facts: &Facts, contents: &Result<Contents, Unknown>) -> Vec<DeviceUse> {
    let mut uses = in_use(root, facts);
    if uses.iter().all(|one| *one == DeviceUse::ReadOnly)
        && let Ok(contents) = contents
    {
        uses.splice(0..0, held(facts, contents));
        uses.extend(readers(facts));
    }
    each_once(uses)
}

/// The programs that only read the device. They are shown where nothing else uses it: writing
/// disturbs them.
fn readers(facts: &Facts) -> impl Iterator<Item = DeviceUse> {
    let is_own = |number: DevNumber| parts(&facts.graph).any(|node| node.number == number);
    let open = facts.shared.openers.iter().filter(move |open| !open.writes && is_own(open.number));
    open.map(|open| DeviceUse::OpenForReading { program: open.comm.clone(), pid: open.pid })
}

fn in_use(root: &Root, facts: &Facts) -> Vec<DeviceUse> {
    let mut uses = Vec::new();
    let within: Vec<&Node> = parts(&facts.graph).collect();
    let is_within = |number: DevNumber| within.iter().any(|node| node.number == number);
    let mounts = facts.shared.mounts.iter().filter(|(number, _)| is_within(*number));
    uses.extend(
        mounts.map(|(_, m)| DeviceUse::Mounted { point: m.point.clone(), fs_type: m.fs_type.clone() }),
    );
    let swaps = facts.shared.swaps.iter().filter(|swap| swap.device.is_some_and(is_within));
    uses.extend(swaps.map(|_| DeviceUse::Swap));
    uses.extend(within.iter().flat_map(|node| holders(root, node)).map(|of| DeviceUse::Member { of }));
    if uses.is_empty() {
        let pools = facts.shared.pools.iter().filter(|pool| is_within(pool.number));
        uses.extend(pools.map(|pool| DeviceUse::Pool { pool: pool.pool.clone() }));
    }
    let loops = facts.graph.nodes().iter().filter(|node| node.relation == Relation::Loop);
    uses.extend(loops.map(|node| DeviceUse::Loop { device: node.name.clone() }));
    let open = facts.shared.openers.iter().filter(|open| open.writes && is_within(open.number));
    uses.extend(open.map(|open| DeviceUse::Open { program: open.comm.clone(), pid: open.pid }));
    let needed = facts.shared.reserved.iter().filter(|reserved| is_within(reserved.number));
    if uses.is_empty() {
        uses.extend(needed.map(|reserved| DeviceUse::System { purpose: reserved.purpose.clone() }));
    }
    if facts.identity.read_only {
        uses.push(DeviceUse::ReadOnly);
    }
    uses
}

fn each_once(uses: Vec<DeviceUse>) -> Vec<DeviceUse> {
    let mut once: Vec<DeviceUse> = Vec::new();
    for one in uses {
        if !once.contains(&one) {
            once.push(one);
        }
    }
    once
}

/// The device and its own partitions. What is made of these is a device of its own.
fn parts(graph: &Graph) -> impl Iterator<Item = &Node> {
    let target = graph.target();
    let is_own = move |node: &&Node| node.sys_dir.parent() == Some(target.sys_dir.as_path());
    let partitions = graph.nodes().iter().filter(|node| node.relation == Relation::Partition).filter(is_own);
    std::iter::once(target).chain(partitions)
}

/// The devices that are made of a node.
fn holders(root: &Root, node: &Node) -> Vec<String> {
    let dir = node.sys_dir.join("holders");
    let names = root.list(&dir).unwrap_or_default();
    let called = |name: String| root.read_text(dir.join(&name).join("dm/name")).unwrap_or(name);
    names.into_iter().map(called).collect()
}

/// What the device itself holds.
fn held(facts: &Facts, contents: &Contents) -> Vec<DeviceUse> {
    let count = parts(&facts.graph).count() - 1;
    if count > 0 {
        return vec![DeviceUse::Partitions { count }];
    }
    // A table with a copy and a protective one is one table.
    let is_table = |class: Class| class == Class::PartitionTable;
    let table = contents.signatures.iter().position(|s| is_table(s.class));
    let formats = contents.signatures.iter().enumerate();
    let formats = formats.filter(|(at, s)| !is_table(s.class) || Some(*at) == table).map(|(_, s)| s);
    let holds = formats.map(|s| DeviceUse::Holds { format: s.name.clone(), class: s.class });
    match (holds.collect::<Vec<_>>(), contents.first_nonzero_bytes) {
        (holds, _) if !holds.is_empty() => holds,
        (_, Some(_)) => vec![DeviceUse::UnknownData],
        _ => vec![DeviceUse::Blank],
    }
}
