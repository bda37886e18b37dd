//! Which latencies a job records, and in what detail.

use fathom_job::direction::PerDirection;
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;

/// Which latencies a job records, and in what detail.
#[derive(Clone, Copy, Debug)]
pub struct Detail {
    pub(super) total: Want,
    pub(super) completion: Want,
    pub(super) submission: Want,
    /// Directions that have a rate, and so have intended starts.
    pub(super) response: PerDirection<bool>,
    pub(super) is_total_shared: bool,
    /// The engine does one I/O at a time.
    pub(super) is_sync: bool,
}

/// How much of one latency is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    Off,
    /// Count, sums, minimum and maximum.
    Sums,
    /// The distribution too.
    Full,
}

impl Detail {
    /// What the job asks for. A synchronous engine (`sync_engine`) has no submission
    /// latency, so its completion latency is its total latency.
    pub fn of(plan: &PlannedJob, sync_engine: bool) -> Detail {
        let job = &plan.job;
        let reduced = job.get(&opt::GTOD_REDUCE);
        let want = |disabled: bool, percentiles: bool| match (disabled || reduced, percentiles) {
            (true, _) => Want::Off,
            (false, true) => Want::Full,
            (false, false) => Want::Sums,
        };
        let submission = want(job.get(&opt::DISABLE_SLAT), job.get(&opt::SLAT_PERCENTILES));
        // The classes of latency need one distribution: where that of the total is off, that of the completion.
        let disables_total = job.get(&opt::DISABLE_LAT);
        let completion = want(job.get(&opt::DISABLE_CLAT), job.get(&opt::CLAT_PERCENTILES) || disables_total);
        // The distribution of the total is always kept: it is the latency
        // that can be compared between engines.
        let total = want(disables_total, true);
        let is_total_shared = sync_engine && total == Want::Full && completion == Want::Full;
        Detail {
            total: if is_total_shared { Want::Off } else { total },
            completion,
            response: plan.pace.rate.map(|rate| rate.is_some()),
            submission: if sync_engine { Want::Off } else { submission },
            is_total_shared,
            is_sync: sync_engine,
        }
    }
}
