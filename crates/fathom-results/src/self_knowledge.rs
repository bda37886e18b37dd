//! What a run knows of itself beside its figures: what its generator can do at
//! most, which kernel threads worked in its name, and what was checked.
//!
//! Taints say what is wrong; this says what was looked at, also where all is
//! well, so that a reader need not take it on trust.

use serde::{Deserialize, Serialize};

/// The self-knowledge of one run. Every part may be empty: short runs are not
/// calibrated, most runs have no kernel workers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SelfKnowledge {
    /// The same jobs without a target.
    pub calibrations: Vec<Calibration>,
    /// Kernel threads that worked for the jobs.
    pub kernel_workers: Vec<KernelWorkers>,
    /// What was compared, and how it came out.
    pub checks: Vec<Check>,
    /// What the audit of the host found before the run: warnings and worse.
    pub audit: Vec<HostFinding>,
    /// What happened to the host while the run measured: throttling, errors
    /// on the way, interrupts, swapping.
    pub disturbances: Vec<HostFinding>,
}

/// Something about the host that moves a figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFinding {
    /// Id of the check of the doctor, such as `cpu.throttle`.
    pub check: String,
    /// About whom: `cpu1`, `nvme0n1`.
    pub subject: String,
    /// How grave.
    pub weight: FindingWeight,
    /// One sentence, without its full stop.
    pub says: String,
    /// Where it was read.
    pub path: String,
    /// What stood there.
    pub raw: String,
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingWeight {
    /// Costs some of a goal, or puts it in doubt.
    Warn,
    /// The figure is wrong, or far below what is possible.
    Bad,
}

/// One job, measured for a moment with nothing behind the generator: no faster
/// figure can come out of it on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calibration {
    /// Plan id of the job.
    pub job: u32,
    /// What stood in for its engine: `null` (nothing), or `nop` (a ring that
    /// does nothing).
    pub engine: String,
    /// I/Os completed.
    pub ios: u64,
    /// In this time, ns.
    pub time_ns: u64,
    /// With so much CPU time of the worker, ns.
    pub cpu_ns: u64,
    /// The smallest latency that the generator can show, ns; `None` where
    /// latency was not kept.
    pub latency_ns_min: Option<u64>,
}

impl Calibration {
    /// I/Os per second; 0 when no time passed.
    pub fn iops(&self) -> f64 {
        if self.time_ns == 0 { 0.0 } else { self.ios as f64 * 1e9 / self.time_ns as f64 }
    }

    /// CPU time of one I/O, ns; `None` without an I/O.
    pub fn cpu_ns_per_io(&self) -> Option<f64> {
        (self.ios > 0).then(|| self.cpu_ns as f64 / self.ios as f64)
    }
}

/// Kernel threads of one kind that worked for one job in its measured window.
/// Their CPU time is in no worker's [`crate::Usage`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelWorkers {
    /// Plan id of the job.
    pub job: u32,
    /// What they are.
    pub kind: KernelWorkerKind,
    /// How many were seen.
    pub threads: u32,
    /// CPU time, ns, read ten times a second: what a thread used in the last
    /// tenth before it ended may be missing.
    pub cpu_ns: u64,
}

/// Kinds of kernel threads that io_uring makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KernelWorkerKind {
    /// Does I/O that the target cannot begin without blocking.
    IoWq,
    /// Submits for the worker (`sqthread_poll`).
    Sqpoll,
}

/// Something that was compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Stable short name, such as `kernel-counts`.
    pub name: String,
    /// How it came out.
    pub outcome: CheckOutcome,
    /// What was compared, with numbers; for an unknown outcome, why.
    pub evidence: String,
}

/// How a comparison came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckOutcome {
    /// Both sides agree.
    Holds,
    /// They do not.
    Broken,
    /// There is nothing to compare with.
    Unknown,
}
