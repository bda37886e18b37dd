//! What the planner knows about the machine and its targets; the engine of a job, simulated drives, control nodes.

use super::notes::{self, Checked, Notes};
use super::{TargetZones, most_open};
use crate::diagnostic::Diagnostic;
use crate::engine::{EngineDef, SIM};
use crate::foreign_engines::foreign_engine;
use crate::job::Job;
use crate::options;
use crate::trace::{ReplayTerms, TraceFacts, TraceFault};
use crate::units::Bytes;
use fathom_sim::{DriveModel, ModelRemark, PRESETS, SimError};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TargetKind {
    /// A regular file that exists.
    File,
    /// A block device.
    Block,
    /// The generic character device of an NVMe namespace, which takes commands.
    Namespace,
    /// The generic character device of a SCSI disk, which takes commands.
    ScsiNode,
    /// Another character device.
    Char,
    /// A directory: an error as a target.
    Directory,
    /// Nothing there: a file to be created.
    Missing,
    /// This user may not look at it.
    #[serde(skip)]
    Closed,
    /// A name that a metadata engine makes, looks at or removes, and that is no target of data.
    Name,
    /// A simulated drive.
    Simulated,
    /// No target at all (diskless engine).
    None,
}

impl TargetKind {
    /// Is it a target of data on this machine, or would become one?
    pub fn is_on_machine(self) -> bool {
        !matches!(self, TargetKind::Name | TargetKind::Simulated | TargetKind::None)
    }

    /// Is it a regular file, or would become one?
    pub fn is_file(self) -> bool {
        matches!(self, TargetKind::File | TargetKind::Missing)
    }

    /// Has it an end that it cannot grow beyond, and LBAs?
    pub fn is_drive(self) -> bool {
        matches!(self, TargetKind::Block | TargetKind::Simulated) || self.is_command_node()
    }

    /// Is it a character device that takes the commands of a drive?
    pub fn is_command_node(self) -> bool {
        matches!(self, TargetKind::Namespace | TargetKind::ScsiNode)
    }
}

/// Facts about one path; what could not be learned is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetFacts {
    /// What it is.
    pub kind: TargetKind,
    /// Its size now.
    pub size: Option<Bytes>,
    /// Smallest unit of direct I/O: offset and length are multiples of it.
    pub direct_align: Option<Bytes>,
    /// Free space of the filesystem it lies on (files).
    pub free: Option<Bytes>,
    /// Space that it has there; less than its size where it has holes (files).
    pub allocated: Option<Bytes>,
    /// A number of that filesystem, by which two files are known to share it
    /// (files).
    pub file_system: Option<u64>,
    /// Its number there, by which two paths are known to lead to one file
    /// (existing files).
    pub inode: Option<u64>,
    /// Its zones, if it is host-managed.
    pub zones: Option<TargetZones>,
    /// It takes the commands of a whole SCSI disk.
    pub is_scsi_disk: bool,
}

impl TargetFacts {
    /// A path where nothing is.
    pub const MISSING: TargetFacts = TargetFacts {
        kind: TargetKind::Missing,
        size: None,
        direct_align: None,
        free: None,
        allocated: None,
        file_system: None,
        inode: None,
        zones: None,
        is_scsi_disk: false,
    };
}

/// The lengths of writes that a target does whole or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomicLimits {
    /// The least.
    pub least: Bytes,
    /// The largest.
    pub most: Bytes,
}

/// A path, directory applied, and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct PlannedTarget {
    pub(super) path: String,
    pub(super) facts: TargetFacts,
}

/// Looks paths up, without opening anything for writing.
pub trait TargetLookup {
    /// Facts about a path.
    fn look_up(&self, path: &str) -> TargetFacts;

    /// A name that all paths have which lead to the same file or device: links and relative paths, also of a file that does not exist yet.
    fn place(&self, path: &str) -> String {
        path.to_owned()
    }

    /// How much of a range of a device nobody has written since the device was
    /// purged; `None` where that is not known.
    fn never_written(&self, _path: &str, _start: Bytes, _end: Bytes) -> Option<Bytes> {
        None
    }

    /// Bytes of a file that hold no data and read as zeros; `None` where that is not known.
    fn without_data(&self, _path: &str) -> Option<Bytes> {
        None
    }

    /// Have earlier runs written every byte of a range of a device, and has nothing else written there since?
    fn is_written(&self, _path: &str, _start: Bytes, _end: Bytes) -> bool {
        false
    }

    /// The atomic writes that an existing file or device promises; `None` where it promises none.
    fn atomic_writes(&self, _path: &str) -> Option<AtomicLimits> {
        None
    }

    /// The regular files below a directory, at any depth, in the order of their names; links are not followed.
    ///
    /// # Errors
    /// A directory cannot be read, or there are more files than `most`.
    fn files_below(&self, _directory: &str, _most: usize) -> Result<Vec<String>, String> {
        Err("directories are not listed here".to_owned())
    }

    /// What the trace in this file will do; of several files, when they are merged.
    ///
    /// # Errors
    /// Why it cannot be replayed, with the line where one is wrong.
    fn trace(&self, _paths: &[String], _terms: &ReplayTerms) -> Result<Arc<TraceFacts>, TraceFault> {
        Err(TraceFault { message: "traces are not read here".to_owned(), hint: None })
    }
}

/// The machine, as far as a plan depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Highest CPU number that is online, plus one.
    pub cpus: usize,
    /// Memory, all of it.
    pub memory: Bytes,
    /// Memory that programs may still take without swapping, within the limits
    /// of the control group.
    pub memory_available: Bytes,
}

// Finds the engine of a job.

/// The engine that the job names; for simulated drives the engine `sim`, which then keeps as many I/Os in flight as the
/// named one could.
///
/// # Errors
/// No engine has that name: the error says why fathom does not have it, or what was probably meant.
pub fn engine_of(job: &Job, engines: &[EngineDef]) -> Checked<EngineDef> {
    let name = job.get(&options::IOENGINE);
    let named = |name: &str| engines.iter().find(|engine| engine.name == name).copied();
    let asked = named(&name).ok_or_else(|| unknown_engine(job, &name, engines))?;
    match named(SIM).filter(|_| is_simulated(job) && !asked.burns_cpu) {
        Some(sim) => Ok(EngineDef { depth_max: asked.depth_max.min(sim.depth_max), ..sim }),
        None => Ok(asked),
    }
}

fn unknown_engine(job: &Job, name: &str, engines: &[EngineDef]) -> Diagnostic {
    if let Some(foreign) = foreign_engine(name) {
        let error = notes::error(job, &options::IOENGINE, "engine-refused", foreign.message(name));
        return of_nodes(job).into_iter().fold(error.hint(foreign.instead), Diagnostic::hint);
    }
    let names: Vec<&str> = engines.iter().map(|engine| engine.name).collect();
    let message = format!("there is no I/O engine {name:?}");
    let error = notes::error(job, &options::IOENGINE, "engine-unknown", message);
    match options::nearest_of(name, names.iter().copied()) {
        Some(near) => error.hint(format!("did you mean ioengine={near}?")),
        None => error.hint(format!("the engines are {}", names.join(", "))),
    }
}

/// An engine that sends commands to a drive names nodes that hold no data: the block device of each.
fn of_nodes(job: &Job) -> Vec<String> {
    let names = job.get(&options::FILENAME).unwrap_or_default();
    names.iter().filter_map(|name| control_node(name)).map(|node| node.instead).collect()
}

// Simulated drives as targets: `sim:datacentre/64,op=28`.

/// What the name of a simulated drive begins with.
const PREFIX: &str = "sim:";

/// A simulated drive has the sectors of most drives.
const SECTOR: Bytes = Bytes(512);

/// The model that a name such as `sim:datacentre/64` describes; `None` where it is the name of something else.
pub fn simulated_model(name: &str) -> Option<Result<DriveModel, SimError>> {
    name.strip_prefix(PREFIX).map(str::parse)
}

/// Is a target of this job a simulated drive? Then all of them must be.
pub(super) fn is_simulated(job: &Job) -> bool {
    let names = job.get(&options::FILENAME).unwrap_or_default();
    names.iter().any(|name| name.starts_with(PREFIX))
}

/// The drives of these names; empty where one of them cannot be.
pub(super) fn simulated_targets(job: &Job, names: &[String], notes: &mut Notes) -> Vec<PlannedTarget> {
    if names.is_empty() {
        notes.push(simulated_error(
            job,
            "target-missing",
            "",
            "the engine sim needs a simulated drive".to_owned(),
        ));
    }
    let mut targets = Vec::new();
    for name in names {
        let Some((target, remarks)) = notes.take(simulated_target(job, name)) else { continue };
        for remark in remarks {
            notes.push(notes::note(job, &options::FILENAME, "simulated-drive", format!("{name}: {remark}")));
        }
        targets.push(target);
    }
    if targets.len() == names.len() { targets } else { Vec::new() }
}

/// What to write in place of a name that is no simulated drive. A hard disk has no scale, but a size.
pub fn simulated_instead(name: &str) -> String {
    let model = name.strip_prefix(PREFIX).unwrap_or_default();
    match ["disk", "smr"].into_iter().find(|preset| model.starts_with(preset)) {
        Some(disk) => format!("sim:{disk},size=1t is a smaller disk"),
        None => format!("sim:PRESET/SCALE, with a preset of {}", PRESETS.join(", ")),
    }
}

fn simulated_error(job: &Job, code: &str, name: &str, message: String) -> Diagnostic {
    notes::error(job, &options::FILENAME, code, message).hint(simulated_instead(name))
}

fn simulated_target(job: &Job, name: &str) -> Checked<(PlannedTarget, Vec<ModelRemark>)> {
    let other = || {
        simulated_error(
            job,
            "target-kind",
            name,
            format!("{name} is no simulated drive, which the engine sim needs"),
        )
    };
    let model = simulated_model(name).ok_or_else(other)?;
    let read = || {
        let model = model?;
        Ok((simulated_facts(&model)?, model.remarks()?))
    };
    let cannot =
        |why: SimError| simulated_error(job, "bad-model", name, format!("{name} cannot be simulated: {why}"));
    let (facts, remarks) = read().map_err(cannot)?;
    Ok((PlannedTarget { path: name.to_owned(), facts }, remarks))
}

/// What a drive of this model is as a target.
///
/// # Errors
/// The model cannot be simulated.
pub fn simulated_facts(model: &DriveModel) -> Result<TargetFacts, SimError> {
    Ok(TargetFacts {
        kind: TargetKind::Simulated,
        size: Some(Bytes(model.capacity_bytes()?)),
        direct_align: Some(SECTOR),
        zones: zones_of(model),
        ..TargetFacts::MISSING
    })
}

fn zones_of(model: &DriveModel) -> Option<TargetZones> {
    let DriveModel::Zoned(model) = model else { return None };
    let open_max = most_open(model.zones.open_max, model.zones.active_max);
    Some(TargetZones {
        size: Bytes(model.zones.zone_bytes),
        open_max,
        active_max: open_max,
        write_unit: SECTOR,
    })
}

// Names under `/dev` that look like a drive and are its control node (the guide's example
// names `/dev/fctl`, with a letter for the digit of `fct1`).

/// What a name is, and which device to name instead.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ControlNode {
    /// `the control node of an NVMe controller`.
    pub what: &'static str,
    /// What to name.
    pub instead: String,
}

/// Nodes of drivers, and of no drive.
const OF_DRIVERS: &[&str] = &[
    "mapper/control",
    "loop-control",
    "nvme-fabrics",
    "btrfs-control",
    "ublk-control",
    "zfs",
    "megaraid_sas_ioctl_node",
    "mpt3ctl",
];

/// The control node of this name, if it is one by its form.
pub(super) fn control_node(path: &str) -> Option<ControlNode> {
    let name = path.strip_prefix("/dev/")?;
    if OF_DRIVERS.contains(&name) {
        return Some(ControlNode {
            what: "the control node of a driver",
            instead: "fathom devices lists the devices".to_owned(),
        });
    }
    let number = |prefix: &str| name.strip_prefix(prefix)?.parse::<u32>().ok();
    if let Some(card) = name.strip_prefix("fct").filter(|card| number("fct").is_some() || card.len() == 1) {
        return Some(fusion(card));
    }
    if let Some(number) = number("nvme") {
        return Some(ControlNode {
            what: "the control node of an NVMe controller",
            instead: format!("/dev/nvme{number}n1 is its first namespace, which holds data"),
        });
    }
    if let Some((controller, namespace)) = name.strip_prefix("ng").and_then(|rest| rest.split_once('n'))
        && let (Ok(controller), Ok(namespace)) = (controller.parse::<u32>(), namespace.parse::<u32>())
    {
        return Some(ControlNode {
            what: "the node for NVMe commands of a namespace",
            instead: format!("/dev/nvme{controller}n{namespace} is the same namespace as a block device"),
        });
    }
    if number("sg").is_some() || name.starts_with("bsg/") {
        return Some(ControlNode {
            what: "the node for SCSI commands of a device",
            instead: "lsscsi -g shows its block device, such as /dev/sdb".to_owned(),
        });
    }
    None
}

/// `fct0` belongs to the device `fioa`, `fct1` to `fiob`; a letter is a misprint.
fn fusion(card: &str) -> ControlNode {
    let letter = card.parse::<u8>().map(|number| char::from(b'a' + number.min(25)));
    match letter {
        Ok(letter) => ControlNode {
            what: "the control node of a Fusion-io card",
            instead: format!("/dev/fio{letter} is its block device"),
        },
        Err(_) => ControlNode {
            what: "a misprint of the control node of a Fusion-io card, whose last character is a digit",
            instead: "/dev/fioa is the block device of /dev/fct0, /dev/fiob that of /dev/fct1".to_owned(),
        },
    }
}
