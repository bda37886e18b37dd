//! The queue was not kept full although the worker had time: submitting blocks.

use super::Limit;
use crate::case::Case;
use crate::cell::Cell;
use crate::quick::told::{Figure, Told, of};
use crate::taint::unfilled;
use fathom_text::quantity::percent;

pub(super) fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Limit> {
    let in_flight = unfilled(cell)?;
    let evidence = format!("{}: {in_flight:.1} of {} in flight", cell.name(), cell.depth());
    let latency = of(cell, &[Figure::Latency]);
    let busy = cell.cpu(case.seen.cpus).map(|load| {
        let text = format!(", worker busy {} of the time", percent(load.worker));
        Told::new(text, of(cell, &[Figure::Usage]))
    });
    Some(Limit {
        claim: Told::new("the worker, which did not keep the queue full", latency.clone()),
        basis: None,
        evidence: Told::new(evidence, latency).and(busy.unwrap_or_default()),
        counter: None,
    })
}

#[cfg(test)]
mod tests {
    use crate::quick::limit::fixture::{IOPS, explain, reads, reads_varied};

    #[test]
    fn a_queue_half_empty() {
        let half = explain(reads_varied(&[80_000; 7], 200_000), &crate::fixture::surrounds(), IOPS);
        assert!(half.claim.starts_with("the worker"), "{half:?}");
        assert_eq!(half.evidence, "rand-read-iops: 16.0 of 32 in flight, worker busy 30 % of the time");
        assert_eq!(explain(reads(80_000), &crate::fixture::surrounds(), IOPS).claim, "the device");
    }
}
