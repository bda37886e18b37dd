//! The last rule: the queue was full, the worker waited, and I/Os waited for each other.

use super::Limit;
use super::strain::{self, BUSY_MIN};
use crate::case::Case;
use crate::cell::Cell;
use crate::quick::told::{Figure, Told, of, of_run};
use crate::taint;
use fathom_text::quantity::{iops, percent};

pub(super) fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Limit> {
    let strain = strain::strain(case, cell);
    let waited = cell.cpu(case.seen.cpus).filter(|_| !cell.polls()).map(|load| {
        let share = percent((1.0 - load.worker).max(0.0));
        Told::new(format!(", worker waiting {share} of the time"), of(cell, &[Figure::Usage]))
    });
    let claim = match cell.latency_ns_mean() {
        Some(_) => noun(case, cell).and(Told::new("", of(cell, &[Figure::Latency]))),
        // Without latency nothing shows that the queue was full.
        None => Told::new("not known: no latency was kept", Vec::new()),
    };
    Some(Limit {
        claim,
        basis: None,
        evidence: law(cell).and(waited.unwrap_or_default()).and(strain::told(case, cell)),
        counter: against(case, cell, strain),
    })
}

/// `rand-read-iops: 80.0k IOPS × 399 µs = 31.9 of 32 in flight`.
pub(super) fn law(cell: &Cell<'_>) -> Told {
    let rate = format!("{}: {} IOPS", cell.name(), iops(cell.iops()));
    match (cell.mean_told(), cell.in_flight_told()) {
        (Some(mean), Some(n)) => Told::new(format!("{rate} × {mean} {n}"), of(cell, &[Figure::Latency])),
        _ => Told::new(rate, Vec::new()),
    }
}

/// The device by what it is.
pub(super) fn noun(case: &Case<'_>, cell: &Cell<'_>) -> Told {
    let alone = case.with_only(cell);
    let (noun, data) = match () {
        () if taint::found("loop-device", &alone).is_some() => ("the loop device", of_run(&[Figure::Target])),
        () if taint::found("virtual-disk", &alone).is_some() => {
            ("the virtual disk", of_run(&[Figure::Target]))
        }
        () => ("the device", Vec::new()),
    };
    Told::new(noun, data)
}

/// From this share of latency on, what happens before submission matters.
const SUBMISSION_MIN: f64 = 0.2;

/// What speaks against the device, the strongest first.
fn against(case: &Case<'_>, cell: &Cell<'_>, strain: Option<f64>) -> Option<Told> {
    if let Some(share) = cell.submission_share().filter(|share| *share >= SUBMISSION_MIN) {
        let share = percent(share);
        let text = format!("{share} of the latency of {} passed in fathom, before submission", cell.name());
        return Some(Told::new(text, of(cell, &[Figure::Submission, Figure::Latency])));
    }
    let alone = strain::told(case, cell).data;
    match strain {
        None => Some(not_alone()),
        Some(strain) if strain < BUSY_MIN => {
            Some(Told::new("latency hardly grew with depth; more depth may still give a little", alone))
        }
        Some(_) => None,
    }
}

/// Nothing says how long the same I/O takes alone, and so whether it waited.
pub(super) fn not_alone() -> Told {
    let text = "the same I/O was not measured at depth 1, so the queue depth may be the limit";
    Told::new(text, Vec::new())
}

#[cfg(test)]
mod tests {
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::quick::job_text;
    use crate::quick::limit::fixture::{IOPS, explain, reads, target};

    #[test]
    fn full_queue_and_growing_latency() {
        let limit = explain(reads(80_000), &crate::fixture::surrounds(), IOPS);
        assert_eq!(limit.claim, "the device");
        assert_eq!(
            limit.evidence,
            "rand-read-iops: 80.0k IOPS × 399 µs = 31.9 of 32 in flight, \
             worker waiting 70 % of the time, latency 4.0 × that of one alone"
        );
        assert_eq!(limit.counter, None);
    }

    #[test]
    fn what_speaks_against_it() {
        let hardly = explain(reads(180_000), &crate::fixture::surrounds(), IOPS);
        assert!(hardly.counter.unwrap().contains("hardly grew"));
        let alone = RunBuilder::text(&job_text(&target(true))).seconds(
            IOPS,
            7,
            &[DirectionLoad::reads(80_000, 4096, 398_000)],
        );
        assert!(explain(alone, &crate::fixture::surrounds(), IOPS).counter.unwrap().contains("not measured"));
    }

    #[test]
    fn time_before_submission_is_not_the_devices() {
        let late = DirectionLoad { submission_ns: 120_000, ..DirectionLoad::reads(80_000, 4096, 398_000) };
        let busy = RunBuilder::text(&job_text(&target(true))).seconds(IOPS, 7, &[late]);
        let counter = explain(busy, &crate::fixture::surrounds(), IOPS).counter.unwrap();
        assert_eq!(counter, "30 % of the latency of rand-read-iops passed in fathom, before submission");
    }
}
