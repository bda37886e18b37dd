//! A run that was cut short measured less than it was asked to.

use super::{Found, TaintRule};
use crate::case::Case;
use fathom_results::finding::{CutEnd, CutShort, CutWorker};
use fathom_results::{EndedBy, Evidence, JobResult, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "interrupted", weight: Weight::Low, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let workers: Vec<CutWorker> = case.run.jobs.iter().filter_map(cut_short).collect();
    // Without `finish` the run still goes on, or was killed: then its jobs say so.
    let damaged = case.run.incomplete.clone().filter(|_| case.run.record.finish.is_some());
    let why = damaged.filter(|_| workers.is_empty());
    let none_started = !case.run.jobs.iter().any(is_started);
    let is_cut = !workers.is_empty() || why.is_some();
    is_cut.then(|| Found::new(Evidence::Interrupted(CutShort { workers, none_started, why })))
}

/// Did it get as far as one window, ramp included?
fn is_started(job: &JobResult) -> bool {
    !job.series.is_empty() || job.runtime_ns() > 0
}

fn cut_short(job: &JobResult) -> Option<CutWorker> {
    let end = match &job.outcome {
        None => CutEnd::Never,
        Some(outcome) => match outcome.ended_by {
            EndedBy::Interrupt => CutEnd::Interrupted,
            EndedBy::Error => {
                let failure = outcome.failure.as_ref();
                CutEnd::Failed(failure.map_or("an error", |failure| failure.message.as_str()).to_owned())
            }
            EndedBy::Size
            | EndedBy::Ios
            | EndedBy::Time
            | EndedBy::Exitall
            | EndedBy::Goal
            | EndedBy::Steady
            | EndedBy::Full
            | EndedBy::Unknown => return None,
        },
    };
    let worker = format!("{}.{}", job.planned.name, job.planned.subjob);
    let measured_s = is_started(job).then(|| job.runtime_ns() as f64 / 1e9);
    Some(CutWorker { worker, end, measured_s })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    const JOB: &str = "rw=randread bs=4k ioengine=psync filename=/data/f";

    fn found(scene: RunBuilder) -> Option<Found> {
        let (run, surrounds) = (scene.run(), crate::fixture::surrounds());
        check(&Case::new(&run, &surrounds))
    }

    #[test]
    fn an_interrupt_an_error_and_silence_are_told() {
        let flow = DirectionLoad::reads(100, 4096, 100_000);
        let interrupted = found(RunBuilder::of(JOB).all(3, flow).ended_by(EndedBy::Interrupt)).unwrap();
        assert_eq!(interrupted.evidence(), "t.0 was interrupted after 3.0 s");
        let failed = found(RunBuilder::of(JOB).all(3, flow).ended_by(EndedBy::Error)).unwrap();
        assert!(failed.evidence().contains("failed after 3.0 s"));
    }

    #[test]
    fn what_never_began_is_not_called_interrupted() {
        let silent = found(RunBuilder::of(JOB)).unwrap();
        assert_eq!(
            (silent.claim().as_str(), silent.evidence().as_str()),
            ("no job was started", "t.0 not started")
        );
        let failed = found(RunBuilder::of(JOB).failed("cannot open /data/f: EIO")).unwrap();
        assert_eq!(failed.evidence(), "t.0 not started: cannot open /data/f: EIO");
        let stopped = found(RunBuilder::of(JOB).failed("stopped").ended_by(EndedBy::Interrupt)).unwrap();
        assert_eq!(stopped.evidence(), "t.0 not started");
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
