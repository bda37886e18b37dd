//! The kinds of figures that a judgement can be based on.

/// A kind of figure that a sentence may be based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Figure {
    /// I/Os of a measurement: that it was made at all.
    Ios,
    /// I/Os of each second.
    Seconds,
    /// Total latency.
    Latency,
    Percentiles,
    /// Time before submission.
    Submission,
    /// CPU time and waits of the workers, and how they ended.
    Usage,
    /// CPU time of kernel threads.
    KernelThreads,
    /// What the generator reaches without a target.
    Ceiling,
    Errors,
    /// What probing the target found.
    Probe,
    /// What the target is: its disk, its filesystem, its model.
    Target,
    /// What the kernel counted on the disks.
    Counters,
    Hypervisor,
    /// CPU time that the hypervisor gave to others.
    Steal,
    /// The CPU time that its control group gave to fathom.
    Quota,
    /// What happened to the host during the run.
    Disturbances,
    /// What was sampled of the machine during the run.
    Samples,
    /// What was asked for. It cannot be missing.
    Plan,
}

impl Figure {
    /// Does each measurement have its own?
    pub fn is_of_one(self) -> bool {
        use Figure::{Counters, Disturbances, Hypervisor, Plan, Probe, Quota, Samples, Steal, Target};
        let of_run = matches!(self, Probe | Target | Counters | Hypervisor | Steal | Quota | Disturbances);
        !of_run && !matches!(self, Samples | Plan)
    }
}
