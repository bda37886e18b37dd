//! What happens on a job's targets before its first measured I/O.

use super::{PlannedFile, PlannedJob, TargetKind};
use crate::options;

impl PlannedJob {
    /// Whether nothing happens on its targets between the start and its first
    /// measured I/O: no layout, no ramp, no search for a depth and no delay. During
    /// a delay others could use the targets.
    pub fn is_quiet_before(&self) -> bool {
        let is_made = |file: &PlannedFile| file.kind == TargetKind::Block || file.length >= Some(file.needs);
        let waits =
            self.ramp.0 > 0 || self.start_delay.0 > 0 || self.idle_before.0 > 0 || self.pace.goal.is_some();
        self.files.iter().all(is_made) && !waits && !self.job.get(&options::PRE_READ)
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::fixture::one;

    #[test]
    fn what_touches_the_target_first_is_known() {
        let is_quiet = |options: &str| {
            let plan = one(&format!("rw=randread bs=4k ioengine=libaio direct=1 iodepth=8 {options}"));
            plan.jobs[0].is_quiet_before()
        };
        for options in
            ["filename=/dev/fioa", "filename=/dev/fioa rate_iops=100", "filename=/data/dense size=1g"]
        {
            assert!(is_quiet(options), "{options}");
        }
        for options in [
            "filename=/data/new size=1g",
            "filename=/dev/fioa runtime=10 time_based ramp_time=2",
            "filename=/dev/fioa startdelay=2",
            "filename=/dev/fioa idle_before=2",
            "filename=/dev/fioa latency_target=1ms latency_window=100ms latency_percentile=99",
        ] {
            assert!(!is_quiet(options), "{options}");
        }
    }
}
