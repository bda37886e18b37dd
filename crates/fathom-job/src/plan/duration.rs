//! How long a whole plan takes: its stages run one after the other, and in a stage the job that ends
//! last decides.

use super::{Plan, PlannedJob};
use crate::units::Nanos;
use std::collections::HashMap;

/// When a job may begin, and how long it then takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobTime {
    /// It does not begin before this time (`startdelay`).
    pub not_before: Nanos,
    /// It begins this long after what it waits for has ended (`idle_before`).
    pub idle_before: Nanos,
    /// What it takes from its beginning to its end.
    pub time: Nanos,
}

impl JobTime {
    /// What the plan expects of a job; `None` if that depends on the speed of a target.
    pub(super) fn expected(job: &PlannedJob) -> Option<Self> {
        let time = Nanos(job.expected.time?.0.saturating_sub(job.start_delay.0.max(job.idle_before.0)));
        Some(JobTime { not_before: job.start_delay, idle_before: job.idle_before, time })
    }
}

impl Plan {
    /// How long the plan will take; `None` if that depends on the speed of a target. What happens
    /// before the first job starts, such as layout, is not included.
    pub fn expected_time(&self) -> Option<Nanos> {
        self.time_of(JobTime::expected)
    }

    /// How long the plan takes if each job takes the time that `time` gives for it.
    pub fn time_of(&self, time: impl Fn(&PlannedJob) -> Option<JobTime>) -> Option<Nanos> {
        let ends = spans(&self.jobs, time).into_iter().map(|span| Some(span?.1));
        ends.reduce(|one, other| Some(one?.max(other?))).unwrap_or(Some(Nanos(0)))
    }
}

/// When each job begins and ends, from the start of the plan, if it takes the time that `time` gives for it; `None` where that
/// is not known. A job with `wait_for` begins when all clones of the job that it names have ended, so their times add
/// up. `startdelay` counts from the start of the plan in every stage, as in fio, so a stage before
/// and the delay of a job do not add up.
pub(super) fn spans(
    jobs: &[PlannedJob],
    time: impl Fn(&PlannedJob) -> Option<JobTime>,
) -> Vec<Option<(Nanos, Nanos)>> {
    let mut ends: HashMap<&str, Option<u64>> = HashMap::new();
    let mut stage_begins = Some(0);
    let mut spans = Vec::with_capacity(jobs.len());
    for stage in jobs.chunk_by(|a, b| a.stage == b.stage) {
        let mut stage_ends = stage_begins;
        for job in stage {
            // A job of an earlier stage has ended when this stage begins.
            let waits = job.wait_for.as_deref().and_then(|name| ends.get(name).copied());
            let span = span(waits.unwrap_or(Some(0)), stage_begins, time(job));
            let end = span.map(|(_, end)| end.0);
            let last = ends.entry(&job.name).or_insert(Some(0));
            *last = last.zip(end).map(|(one, other)| one.max(other));
            stage_ends = stage_ends.zip(end).map(|(one, other)| one.max(other));
            spans.push(span);
        }
        stage_begins = stage_ends;
    }
    spans
}

/// A job that may begin when what it waits for has ended and its stage has begun.
fn span(waits: Option<u64>, stage_begins: Option<u64>, time: Option<JobTime>) -> Option<(Nanos, Nanos)> {
    let JobTime { not_before, idle_before, time } = time?;
    let may = waits?.max(stage_begins?).saturating_add(idle_before.0);
    let begins = may.max(not_before.0);
    Some((Nanos(begins), Nanos(begins.saturating_add(time.0))))
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
        assert_eq!(seconds("[a]\nramp_time=2\n[b]\nstonewall\nruntime=30\n"), Some(42));
        assert_eq!(seconds("[a]\nnumjobs=3\n[b]\nstonewall\n"), Some(20));
    }

    #[test]
    fn a_job_that_waits_begins_when_the_other_has_ended() {
        assert_eq!(seconds("[a]\n[b]\nwait_for=a\nruntime=5\n[c]\nwait_for=b\n"), Some(25));
        assert_eq!(seconds("[a]\nnumjobs=2\n[b]\nwait_for=a\n[c]\nruntime=60\n"), Some(60));
        assert_eq!(seconds("[a]\n[b]\nstonewall\nwait_for=a\n"), Some(20));
    }

    /// fio 3.33: a job that waits for others and has a delay begins when both are over.
    #[test]
    fn a_delay_counts_from_the_start_of_the_plan() {
        assert_eq!(seconds("[a]\nstartdelay=3\n"), Some(13));
        assert_eq!(seconds("[a]\n[b]\nstonewall\nstartdelay=4\n"), Some(20));
        assert_eq!(seconds("[a]\n[b]\nstonewall\nstartdelay=14\n"), Some(24));
        assert_eq!(seconds("[a]\n[b]\nwait_for=a\nstartdelay=14\n"), Some(24));
        assert_eq!(seconds("[a]\n[b]\nstonewall\nidle_before=4\n"), Some(24));
        assert_eq!(seconds("[a]\n[b]\nwait_for=a\nstartdelay=13\nidle_before=4\n"), Some(24));
    }

    #[test]
    fn the_speed_of_a_target_is_unknown() {
        assert_eq!(seconds("[a]\n[b]\nstonewall\ntime_based=0\nruntime=0\nsize=1m\n"), None);
    }
}
