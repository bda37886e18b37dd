//! How long a whole plan takes: its stages run one after the other, and in a stage the job that ends
//! last decides.

use super::{Plan, PlannedJob};
use crate::units::Nanos;
use std::collections::HashMap;

impl Plan {
    /// How long the plan will take; `None` if that depends on the speed of a target. What happens
    /// before the first job starts, such as layout, is not included.
    pub fn expected_time(&self) -> Option<Nanos> {
        self.time_of(|job| job.expected.time)
    }

    /// How long the plan takes if each job takes the time that `time` gives for it. A job with
    /// `wait_for` begins when all clones of the job that it names have ended, so their times add
    /// up.
    pub fn time_of(&self, time: impl Fn(&PlannedJob) -> Option<Nanos>) -> Option<Nanos> {
        let mut ends: HashMap<&str, u64> = HashMap::new();
        let mut stage_begins = 0;
        for stage in self.jobs.chunk_by(|a, b| a.stage == b.stage) {
            let mut stage_ends = stage_begins;
            for job in stage {
                // A job of an earlier stage has ended when this stage begins.
                let waits = job.wait_for.as_deref().and_then(|name| ends.get(name).copied());
                let end = waits.unwrap_or(0).max(stage_begins).saturating_add(time(job)?.0);
                let last = ends.entry(&job.name).or_default();
                *last = end.max(*last);
                stage_ends = stage_ends.max(end);
            }
            stage_begins = stage_ends;
        }
        Some(Nanos(stage_begins))
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::fixture::planned;
    use crate::units::Nanos;

    /// The time of jobs that have these sections.
    fn seconds(sections: &str) -> Option<u64> {
        let global = "[global]\nfilename=/dev/fioa\nrw=read\ntime_based\nruntime=10\n";
        planned(&format!("{global}{sections}")).expected_time().map(|time| time.0 / Nanos::secs(1).0)
    }

    #[test]
    fn stages_add_up_and_jobs_of_a_stage_run_together() {
        assert_eq!(seconds("[a]\n[b]\nruntime=30\n"), Some(30));
        assert_eq!(seconds("[a]\nramp_time=2\n[b]\nstonewall\nruntime=30\nstartdelay=1\n"), Some(43));
        assert_eq!(seconds("[a]\nnumjobs=3\n[b]\nstonewall\n"), Some(20));
    }

    #[test]
    fn a_job_that_waits_begins_when_the_other_has_ended() {
        assert_eq!(seconds("[a]\n[b]\nwait_for=a\nruntime=5\n[c]\nwait_for=b\n"), Some(25));
        assert_eq!(seconds("[a]\nnumjobs=2\n[b]\nwait_for=a\n[c]\nruntime=60\n"), Some(60));
        assert_eq!(seconds("[a]\n[b]\nstonewall\nwait_for=a\n"), Some(20));
    }

    #[test]
    fn the_speed_of_a_target_is_unknown() {
        assert_eq!(seconds("[a]\n[b]\nstonewall\ntime_based=0\nruntime=0\nsize=1m\n"), None);
    }
}
