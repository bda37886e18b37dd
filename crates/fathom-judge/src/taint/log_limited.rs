//! The job's own log held up its I/O.

use super::{Found, TaintRule};
use crate::case::Case;
use fathom_results::finding::LogWait;
use fathom_results::{Evidence, JobResult, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "log-limited", weight: Weight::Low, check };

/// A worker that waited for its log for a smaller share of its time was not
/// limited by it: the figure moves by less than its interval.
const SHARE_MIN: f64 = 0.01;

fn check(case: &Case<'_>) -> Option<Found> {
    let workers = case.run.jobs.iter().filter_map(limited).collect();
    Found::where_any(workers, |workers| Evidence::LogLimited { workers })
}

fn limited(job: &JobResult) -> Option<LogWait> {
    let notes = &job.outcome.as_ref()?.notes;
    let figure = |name: &str| {
        let note = notes.iter().find(|(known, _)| known == name);
        note.and_then(|(_, text)| text.parse::<u64>().ok()).unwrap_or(0)
    };
    let lost_ios = figure("log.lost_ios");
    let share = figure("log.waited_ns") as f64 / job.runtime_ns().max(1) as f64;
    let worker = format!("{}.{}", job.planned.name, job.planned.subjob);
    (share >= SHARE_MIN || lost_ios > 0).then_some(LogWait { worker, share, lost_ios })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    fn found(notes: &[(&str, &str)]) -> Option<Found> {
        let scene = RunBuilder::of("rw=randread bs=4k ioengine=psync filename=/data/f");
        let mut run = scene.all(10, DirectionLoad::reads(1000, 4096, 900_000)).run();
        let outcome = run.jobs[0].outcome.as_mut().unwrap();
        outcome.notes.extend(notes.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
        check(&Case::new(&run, &crate::fixture::surrounds()))
    }

    #[test]
    fn a_wait_that_matters_and_a_loss_are_told() {
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[("log.waited_ns", "50000000")]), None, "0.5 % of ten seconds");
        let waited = found(&[("log.waited_ns", "3000000000")]).unwrap();
        assert_eq!(waited.evidence(), "t.0 waited for its log for 30 % of its time");
        let lost = found(&[("log.waited_ns", "50000000"), ("log.lost_ios", "4096")]).unwrap();
        assert!(lost.evidence().ends_with("and 4,096 I/Os are not in it"), "{}", lost.evidence());
    }
}
