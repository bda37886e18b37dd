//! What a comparison is made of.

use super::goal::Goal;
use super::target::Target;

/// One comparison: a job, what it runs on, and what we ask of the ratio.
pub struct Case {
    /// Its name on the command line and in the records.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What the I/O goes to.
    pub target: Target,
    /// The job, the same for both tools.
    pub job: &'static [&'static str],
    /// What fio's job says beyond that; `None` where fio cannot run the case at all.
    pub fio: Option<&'static [&'static str]>,
    /// IOPS of ours over fio's.
    pub iops: Goal,
    /// CPU time per I/O of ours over fio's.
    pub cpu: Goal,
}
