//! I/Os in the queue take no longer than one alone: the device could take more.

use super::Limit;
use super::strain::{self, IDLE_MAX};
use crate::case::Case;
use crate::cell::Cell;
use crate::quick::told::{Figure, Told, of};
use fathom_text::quantity::iops;

pub(super) fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Limit> {
    strain::strain(case, cell).filter(|strain| *strain < IDLE_MAX)?;
    let (mean, in_flight) = (cell.mean_told()?, cell.in_flight_told()?);
    let evidence = format!("{}: {} IOPS × {mean} {in_flight}", cell.name(), iops(cell.iops()));
    let strain = strain::told(case, cell);
    let claim = format!("the queue depth of {}: more in flight would give more", cell.depth());
    Some(Limit {
        claim: Told::new(claim, strain.data.clone()),
        basis: None,
        evidence: Told::new(evidence, of(cell, &[Figure::Latency])).and(strain),
        counter: None,
    })
}

#[cfg(test)]
mod tests {
    use crate::fixture::DirectionLoad;
    use crate::quick::limit::fixture::{BANDWIDTH, IOPS, MIB, explain, reads};

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
