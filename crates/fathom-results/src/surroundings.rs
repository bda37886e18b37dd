//! Where a run happened, as far as judging it needs to know.
//!
//! A judge reads this and never the live machine, so a run can be judged again years later on
//! another machine.

use serde::{Deserialize, Serialize};

/// The machine and the targets of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunSurroundings {
    /// CPUs that were online.
    pub cpus: u64,
    /// Memory, all of it, bytes.
    pub memory_bytes: u64,
    /// The hypervisor below the machine, if it said so.
    pub hypervisor: Option<String>,
    /// Percent of CPU time that the hypervisor gave to others during the run.
    pub steal_percent: Option<f64>,
    /// One target of each file system and device, by path. The other targets have their facts
    /// through [`Grounds`](crate::Grounds).
    pub targets: Vec<TargetSurroundings>,
}

/// What a target lies on. What was not known is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetSurroundings {
    /// Path of the target.
    pub path: String,
    /// Kernel name of the disk below it: `nvme0n1`, `dm-0`.
    pub disk: Option<String>,
    /// The disk is made of something else: a hypervisor's disk, memory, a file, a network, other
    /// disks.
    pub is_virtual_disk: Option<bool>,
    /// Type of the file system that holds it, for files.
    pub fs_type: Option<String>,
    /// The directory of the run lies on the same file system.
    pub holds_results: bool,
}
