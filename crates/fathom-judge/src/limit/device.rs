//! The last rule: the queue was full, the worker waited, and I/Os waited for each other.

use super::strain::{self, BUSY_MIN};
use super::{Found, mean};
use crate::case::Case;
use crate::cell::Cell;
use crate::taint;
use fathom_results::Limit;
use fathom_results::answer::limit::{Against, DeviceKind, MeanInFlight, RateLaw};

pub(super) fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Found> {
    let worker_waited = cell.cpu(case.surrounds.cpus).filter(|_| !cell.polls());
    let worker_waited = worker_waited.map(|load| (1.0 - load.worker).max(0.0));
    let rate = law(cell);
    let limit = match cell.latency_ns_mean() {
        Some(_) => Limit::Device {
            target: kind(case, cell),
            rate,
            worker_waited,
            queueing: strain::queueing(case, cell),
        },
        // Without latency nothing shows that the queue was full.
        None => Limit::NoLatency { rate },
    };
    Some(Found { limit, against: against(case, cell) })
}

/// The rate, and Little's law.
pub(super) fn law(cell: &Cell<'_>) -> RateLaw {
    let in_flight = cell.in_flight().map(|it| MeanInFlight {
        mean: it.mean,
        depth: u64::from(it.depth),
        is_rounded: it.is_rounded(),
        syncs: cell.syncs_in_flight(),
    });
    RateLaw { iops: cell.iops(), mean: mean(cell), in_flight }
}

/// The device by what it is.
pub(super) fn kind(case: &Case<'_>, cell: &Cell<'_>) -> DeviceKind {
    let alone = case.with_only(cell);
    match () {
        () if taint::found("loop-device", &alone).is_some() => DeviceKind::LoopDevice,
        () if taint::found("virtual-disk", &alone).is_some() => DeviceKind::VirtualDisk,
        () => DeviceKind::Device,
    }
}

/// From this share of latency on, what happens before submission matters.
const SUBMISSION_MIN: f64 = 0.2;

/// What speaks against the device, the strongest first.
fn against(case: &Case<'_>, cell: &Cell<'_>) -> Vec<Against> {
    if let Some(share) = cell.submission_share().filter(|share| *share >= SUBMISSION_MIN) {
        return vec![Against::BeforeSubmission { share }];
    }
    match strain::strain(case, cell) {
        None => vec![Against::NotMeasuredAlone],
        Some(strain) if strain < BUSY_MIN => vec![Against::LittleGrowth],
        Some(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::limit::fixture::{IOPS, explain, job_text, reads};

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
        let alone = RunBuilder::text(&job_text(true)).seconds(
            IOPS,
            7,
            &[DirectionLoad::reads(80_000, 4096, 398_000)],
        );
        assert!(explain(alone, &crate::fixture::surrounds(), IOPS).counter.unwrap().contains("not measured"));
    }

    #[test]
    fn time_before_submission_is_not_the_devices() {
        let late = DirectionLoad { submission_ns: 120_000, ..DirectionLoad::reads(80_000, 4096, 398_000) };
        let busy = RunBuilder::text(&job_text(true)).seconds(IOPS, 7, &[late]);
        let counter = explain(busy, &crate::fixture::surrounds(), IOPS).counter.unwrap();
        assert_eq!(counter, "30 % of the latency of rand-read-iops passed in fathom, before submission");
    }
}
