//! What a device is used for.

use std::path::PathBuf;

use fathom_device::device::{DevNumber, Graph, Node, Relation};
use fathom_device::root::{Root, Unknown};
use fathom_device::signature::{Class, Contents};
use fathom_guard::Facts;
use schemars::JsonSchema;
use serde::Serialize;

/// One use of a device, or what it holds if it has no use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum DeviceUse {
    /// A file system that is mounted.
    Mounted {
        /// Where.
        #[serde(with = "fathom_device::saved_path")]
        #[schemars(with = "String")]
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
    let open = facts.openers.iter().filter(move |open| !open.writes && is_own(open.number));
    open.map(|open| DeviceUse::OpenForReading { program: open.comm.clone(), pid: open.pid })
}

fn in_use(root: &Root, facts: &Facts) -> Vec<DeviceUse> {
    let mut uses = Vec::new();
    let within: Vec<&Node> = parts(&facts.graph).collect();
    let is_within = |number: DevNumber| within.iter().any(|node| node.number == number);
    let mounts = facts.mounts.iter().filter(|(number, _)| is_within(*number));
    uses.extend(
        mounts.map(|(_, m)| DeviceUse::Mounted { point: m.point.clone(), fs_type: m.fs_type.clone() }),
    );
    let swaps = facts.swaps.iter().filter(|swap| swap.device.is_some_and(is_within));
    uses.extend(swaps.map(|_| DeviceUse::Swap));
    uses.extend(within.iter().flat_map(|node| holders(root, node)).map(|of| DeviceUse::Member { of }));
    if uses.is_empty() {
        let pools = facts.pools.iter().filter(|pool| is_within(pool.number));
        uses.extend(pools.map(|pool| DeviceUse::Pool { pool: pool.pool.clone() }));
    }
    let loops = facts.graph.nodes().iter().filter(|node| node.relation == Relation::Loop);
    uses.extend(loops.map(|node| DeviceUse::Loop { device: node.name.clone() }));
    let open = facts.openers.iter().filter(|open| open.writes && is_within(open.number));
    uses.extend(open.map(|open| DeviceUse::Open { program: open.comm.clone(), pid: open.pid }));
    let needed = facts.reserved.iter().filter(|reserved| is_within(reserved.number));
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
