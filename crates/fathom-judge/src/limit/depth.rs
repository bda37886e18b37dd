//! I/Os in the queue take no longer than one alone: the device could take more.

use super::device::law;
use super::strain::{self, IDLE_MAX};
use super::{Found, found};
use crate::case::Case;
use crate::cell::Cell;
use fathom_results::Limit;

pub(super) fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Found> {
    strain::strain(case, cell).filter(|strain| *strain < IDLE_MAX)?;
    cell.in_flight()?;
    Some(found(Limit::Depth {
        depth: u64::from(cell.depth()),
        rate: law(cell),
        queueing: strain::queueing(case, cell),
    }))
}

#[cfg(test)]
mod tests {
    use crate::fixture::DirectionLoad;
    use crate::limit::fixture::{BANDWIDTH, IOPS, MIB, explain, reads};

    #[test]
    fn latency_as_if_alone() {
        // 290,000 × 110 µs = 31.9 in flight; alone 100 µs.
        let limit = explain(reads(290_000), &crate::fixture::surrounds(), IOPS);
        assert_eq!(limit.claim, "the queue depth of 32: more in flight would give more");
        assert_eq!(
            limit.evidence,
            "rand-read-iops: 290k IOPS × 110 µs = 31.9 of 32 in flight, latency 1.1 × that of one alone"
        );
        assert_eq!(explain(reads(80_000), &crate::fixture::surrounds(), IOPS).claim, "the device");
    }

    #[test]
    fn nothing_is_said_of_what_was_not_measured_at_depth_one() {
        let fast = reads(290_000).seconds(BANDWIDTH, 7, &[DirectionLoad::reads(49_500, MIB, 160_000)]);
        let limit = explain(fast, &crate::fixture::surrounds(), BANDWIDTH);
        assert_eq!(limit.claim, "the device");
        assert!(limit.counter.unwrap().contains("the queue depth may be the limit"));
        assert!(limit.evidence.contains("1.0 × the fastest I/O of the same job"), "{}", limit.evidence);
    }
}
