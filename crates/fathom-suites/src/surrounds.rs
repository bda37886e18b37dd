//! Where a run happened, as far as judging it needs to know.

use fathom_job::plan::TargetKind;
use fathom_job::units::Bytes;

/// Facts about the target and the machine. The caller fills them in; what it
/// could not learn is `None`, and no rule fires on what is not known.
#[derive(Clone, Debug, PartialEq)]
pub struct Surrounds {
    /// What the target is.
    pub kind: TargetKind,
    /// Kernel name of the disk under the target: `nvme0n1`, `dm-0`.
    pub disk_name: Option<String>,
    /// The disk is made of something else: a hypervisor's disk, memory, a file,
    /// a network, other disks.
    pub is_virtual: Option<bool>,
    /// The disk is a loop device.
    pub is_loop: bool,
    /// Type of the filesystem that holds the target, for files.
    pub fs_type: Option<String>,
    /// The hypervisor below this machine, if it says so.
    pub hypervisor: Option<String>,
    /// Memory, all of it.
    pub memory: Bytes,
    /// CPUs that are online.
    pub cpus: usize,
    /// All jobs go past the page cache.
    pub direct: bool,
    /// The run's directory lies on the filesystem under test.
    pub results_on_same_fs: bool,
    /// Percent of CPU time that the hypervisor gave to others during the run.
    pub steal_percent: Option<f64>,
}
