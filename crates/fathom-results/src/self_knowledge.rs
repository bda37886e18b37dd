//! What a run knows about itself besides its figures: what its generator can do at
//! most, which kernel threads worked for it, and what was checked.
//!
//! Taints say what is wrong. This part says what was checked, even if nothing
//! was wrong, so that a reader can see it.

use crate::self_check::SelfCheck;
use serde::{Deserialize, Serialize};

/// The self-knowledge of one run. Every part may be empty: short runs are not
/// calibrated, most runs have no kernel workers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelfKnowledge {
    /// The same jobs, measured without a target.
    pub calibrations: Vec<Calibration>,
    /// Kernel threads that worked for the jobs.
    pub kernel_workers: Vec<KernelWorkers>,
    /// What was compared, and with which result.
    pub checks: Vec<SelfCheck>,
    /// What the audit of the host found before the run: warnings and worse.
    pub audit: Vec<HostFinding>,
    /// What happened to the host during the measurement: throttling, errors
    /// on the path to the target, interrupts, swapping.
    pub disturbances: Vec<HostFinding>,
    /// The limit of CPU time of fathom's control group, and how often it stopped fathom; none where no group has a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_quota: Option<CpuQuota>,
    /// When fathom itself did not run, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub halts: Vec<Halt>,
}

/// The CPU time that a control group may use in each period, and what happened at that limit during the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CpuQuota {
    /// CPU time that all threads of the group together may use in a period, ns.
    pub quota_ns: u64,
    /// Length of a period, ns.
    pub period_ns: u64,
    /// Periods that the measurement lasted.
    pub periods: u64,
    /// Periods in which the group had used its time up, so that no thread of it ran until the next one.
    pub stopped: u64,
}

impl CpuQuota {
    /// The quota in CPUs: 0.2 is a fifth of one CPU.
    pub fn cpus(&self) -> f64 {
        self.quota_ns as f64 / self.period_ns.max(1) as f64
    }

    /// Share of the periods in which the group was stopped, 0 to 1.
    pub fn stopped_share(&self) -> f64 {
        (self.stopped as f64 / self.periods.max(1) as f64).min(1.0)
    }
}

/// A time in which fathom itself did not run, and did not wait for a CPU either: a signal or a debugger stopped it, its
/// control group was frozen, or the whole machine paused. What was measured then is not the target's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Halt {
    /// The last moment at which it is known to have run, ns since the start of the run.
    pub start_ns: u64,
    /// When it ran again, ns since the start of the run.
    pub end_ns: u64,
}

impl Halt {
    /// How much of it lies between two moments, ns.
    pub fn within_ns(&self, start_ns: u64, end_ns: u64) -> u64 {
        self.end_ns.min(end_ns).saturating_sub(self.start_ns.max(start_ns))
    }
}

/// A fact about the host that changes a figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostFinding {
    /// Id of the check that found it, such as `cpu.throttle`.
    pub check: String,
    /// The part of the host that it is about: `cpu1`, `nvme0n1`.
    pub subject: String,
    /// How serious it is.
    pub weight: FindingWeight,
    /// One sentence, without its full stop.
    pub says: String,
    /// The file that was read.
    pub path: String,
    /// The content that was read.
    pub raw: String,
}

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FindingWeight {
    /// It costs a part of a figure, or makes it doubtful.
    Warn,
    /// The figure is wrong, or far below what is possible.
    Bad,
}

/// One job, measured for a short time with an engine that does no I/O: on this
/// machine the job cannot reach a better figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Calibration {
    /// Plan id of the job.
    pub job: u32,
    /// The engine that was used in place of the job's: `null` (does nothing), or `nop`
    /// (a ring that does nothing).
    pub engine: String,
    /// I/Os completed.
    pub ios: u64,
    /// The time in which they completed, ns.
    pub time_ns: u64,
    /// CPU time of the worker in that time, ns.
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelWorkers {
    /// Plan id of the job.
    pub job: u32,
    /// What the threads do.
    pub kind: KernelWorkerKind,
    /// How many were seen.
    pub threads: u32,
    /// CPU time, ns, read ten times a second: what a thread used in the last
    /// tenth before it ended may be missing.
    pub cpu_ns: u64,
}

/// Kinds of kernel threads that io_uring makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum KernelWorkerKind {
    /// Does I/O that the target cannot begin without blocking.
    IoWq,
    /// Submits for the worker (`sqthread_poll`).
    Sqpoll,
}
