//! The queue was not kept full although the worker had time: submitting blocks.

use super::Limit;
use crate::case::Case;
use crate::cell::Cell;
use crate::quantity::percent;
use crate::taint::unfilled;

pub(super) const RULE: super::Rule = check;

fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Limit> {
    let in_flight = unfilled(cell)?;
    let cpu = cell.cpu(case.seen.cpus).map_or(0.0, |load| load.worker);
    let evidence = format!(
        "{}: {in_flight:.1} of {} in flight, worker busy {} of the time",
        cell.name(),
        cell.depth(),
        percent(cpu)
    );
    Some(Limit {
        claim: "submission: the queue was not kept full".to_owned(),
        basis: None,
        evidence,
        counter: None,
    })
}

#[cfg(test)]
mod tests {
    use crate::fixture::Scene;
    use crate::quick::limit::fixture::{IOPS, explain, reads, reads_varied};

    #[test]
    fn a_queue_half_empty() {
        let half = explain(reads_varied(&[80_000; 7], 200_000), &Scene::surrounds(), IOPS);
        assert!(half.claim.starts_with("submission"), "{half:?}");
        assert_eq!(half.evidence, "rand-read-iops: 16.0 of 32 in flight, worker busy 30 % of the time");
        assert_eq!(explain(reads(80_000), &Scene::surrounds(), IOPS).claim, "the device");
    }
}
