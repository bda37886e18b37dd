//! What the planner knows about the machine and its targets.

use crate::units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TargetKind {
    /// A regular file that exists.
    File,
    /// A block device.
    Block,
    /// A character device.
    Char,
    /// A directory: an error as a target.
    Directory,
    /// Nothing there: a file to be created.
    Missing,
    /// This user may not look at it.
    #[serde(skip)]
    Closed,
    /// A simulated drive.
    Simulated,
    /// No target at all (diskless engine).
    None,
}

impl TargetKind {
    /// Is it something of this machine, or would become it?
    pub fn is_on_machine(self) -> bool {
        !matches!(self, TargetKind::Simulated | TargetKind::None)
    }

    /// Is it a regular file, or would become one?
    pub fn is_file(self) -> bool {
        matches!(self, TargetKind::File | TargetKind::Missing)
    }

    /// Has it an end that it cannot grow beyond, and LBAs?
    pub fn is_drive(self) -> bool {
        matches!(self, TargetKind::Block | TargetKind::Simulated)
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
    };
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
