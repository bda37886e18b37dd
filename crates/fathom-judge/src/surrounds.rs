//! Where a run happened, as far as judging it needs to know.

use fathom_job::plan::TargetKind;
use fathom_job::units::Bytes;
use fathom_results::RunResult;

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

impl Surrounds {
    /// Of a saved run; the first target counts where a run has several.
    pub fn of(run: &RunResult) -> Self {
        let saved = &run.record.surroundings;
        let first = saved.targets.first();
        let jobs = &run.record.plan.jobs;
        let kind = jobs.iter().flat_map(|job| &job.files).next().map(|file| file.kind);
        let disk_name = first.and_then(|target| target.disk.clone());
        Surrounds {
            kind: kind.unwrap_or(TargetKind::None),
            is_virtual: first.and_then(|target| target.is_virtual_disk),
            is_loop: disk_name.as_ref().is_some_and(|disk| disk.starts_with("loop")),
            disk_name,
            fs_type: first.and_then(|target| target.fs_type.clone()),
            hypervisor: saved.hypervisor.clone(),
            memory: Bytes(saved.memory_bytes),
            cpus: usize::try_from(saved.cpus).unwrap_or(usize::MAX),
            direct: jobs.iter().all(|job| job.direct),
            results_on_same_fs: saved.targets.iter().any(|target| target.holds_results),
            steal_percent: saved.steal_percent,
        }
    }
}
