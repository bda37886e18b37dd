//! A run that was cut short measured less than it was asked to.

use super::{Found, TaintRule, TaintWeight};
use crate::case::Case;
use crate::figure::Figure;
use crate::quantity::listed;
use fathom_results::{EndedBy, JobResult};

pub(super) const RULE: TaintRule = TaintRule {
    code: "interrupted",
    weight: TaintWeight::Low,
    hint: "let it run to its end",
    stands_on: &[Figure::Plan],
    check,
};

fn check(case: &Case<'_>) -> Option<Found> {
    let cut: Vec<String> = case.run.jobs.iter().filter_map(cut_short).collect();
    // Without `finish` the run still goes on, or was killed: then its jobs say so.
    let damaged = case.run.incomplete.as_ref().filter(|_| case.run.record.finish.is_some());
    match (cut.is_empty(), damaged) {
        (true, None) => None,
        (true, Some(why)) => Found::new("the run did not end as planned", why),
        (false, _) if !case.run.jobs.iter().any(is_started) => Found::new("no job was started", listed(&cut)),
        (false, _) => Found::new("jobs were cut short", listed(&cut)),
    }
}

/// Did it get as far as one window, ramp included?
fn is_started(job: &JobResult) -> bool {
    !job.series.is_empty() || job.runtime_ns() > 0
}

fn cut_short(job: &JobResult) -> Option<String> {
    let name = format!("{}.{}", job.planned.name, job.planned.subjob);
    let seconds = job.runtime_ns() as f64 / 1e9;
    let Some(outcome) = &job.outcome else {
        if !is_started(job) {
            return Some(format!("{name} not started"));
        }
        return Some(format!("{name} never ended, {seconds:.1} s measured"));
    };
    match outcome.ended_by {
        EndedBy::Interrupt if !is_started(job) => Some(format!("{name} not started")),
        EndedBy::Interrupt => Some(format!("{name} was interrupted after {seconds:.1} s")),
        EndedBy::Error => {
            let why = outcome.failure.as_ref().map_or("an error", |failure| failure.message.as_str());
            Some(match is_started(job) {
                true => format!("{name} failed after {seconds:.1} s: {why}"),
                false => format!("{name} not started: {why}"),
            })
        }
        EndedBy::Size
        | EndedBy::Ios
        | EndedBy::Time
        | EndedBy::Exitall
        | EndedBy::Goal
        | EndedBy::Steady
        | EndedBy::Full
        | EndedBy::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    const JOB: &str = "rw=randread bs=4k ioengine=psync filename=/data/f";

    fn found(scene: RunBuilder) -> Option<Found> {
        let (run, seen) = (scene.run(), crate::fixture::surrounds());
        check(&Case::new(&run, &seen))
    }

    #[test]
    fn an_interrupt_an_error_and_silence_are_told() {
        let flow = DirectionLoad::reads(100, 4096, 100_000);
        let interrupted = found(RunBuilder::of(JOB).all(3, flow).ended_by(EndedBy::Interrupt)).unwrap();
        assert_eq!(interrupted.evidence, "t.0 was interrupted after 3.0 s");
        let failed = found(RunBuilder::of(JOB).all(3, flow).ended_by(EndedBy::Error)).unwrap();
        assert!(failed.evidence.contains("failed after 3.0 s"));
    }

    #[test]
    fn what_never_began_is_not_called_interrupted() {
        let silent = found(RunBuilder::of(JOB)).unwrap();
        assert_eq!(
            (silent.message.as_str(), silent.evidence.as_str()),
            ("no job was started", "t.0 not started")
        );
        let failed = found(RunBuilder::of(JOB).failed("cannot open /data/f: EIO")).unwrap();
        assert_eq!(failed.evidence, "t.0 not started: cannot open /data/f: EIO");
        let stopped = found(RunBuilder::of(JOB).failed("stopped").ended_by(EndedBy::Interrupt)).unwrap();
        assert_eq!(stopped.evidence, "t.0 not started");
    }

    #[test]
    fn its_own_end_is_no_cut() {
        let flow = DirectionLoad::reads(100, 4096, 100_000);
        use EndedBy::{Exitall, Full, Goal, Ios, Size, Steady, Time};
        for end in [Time, Size, Ios, Exitall, Goal, Steady, Full] {
            assert_eq!(found(RunBuilder::of(JOB).all(3, flow).ended_by(end)), None);
        }
    }
}
