//! The queue was not kept full although the worker had time: submitting blocks.

use super::{Found, found};
use crate::case::Case;
use crate::cell::Cell;
use crate::taint::unfilled;
use fathom_results::Limit;

pub(super) fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Found> {
    Some(found(Limit::Submission {
        in_flight: unfilled(cell)?,
        depth: u64::from(cell.depth()),
        worker_busy: cell.cpu(case.surrounds.cpus).map(|load| load.worker),
    }))
}

#[cfg(test)]
mod tests {
    use crate::limit::fixture::{IOPS, explain, reads, reads_varied};

    #[test]
    fn a_queue_half_empty() {
        let half = explain(reads_varied(&[80_000; 7], 200_000), &crate::fixture::surrounds(), IOPS);
        assert!(half.claim.starts_with("the worker"), "{half:?}");
        assert_eq!(half.evidence, "rand-read-iops: 16.0 of 32 in flight, worker busy 30 % of the time");
        assert_eq!(explain(reads(80_000), &crate::fixture::surrounds(), IOPS).claim, "the device");
    }
}
