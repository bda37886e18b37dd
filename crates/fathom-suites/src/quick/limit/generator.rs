//! The worker had no CPU time left: the device may be able to do more.

use super::Limit;
use crate::case::Case;
use crate::cell::Cell;
use crate::quantity::{latency, percent};
use crate::taint::full_load;

pub(super) const RULE: super::Rule = check;

fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Limit> {
    let load = full_load(cell, case.seen.cpus)?;
    let cost = cell.cpu_ns_per_io().map_or_else(String::new, |ns| format!(", {} for each I/O", latency(ns)));
    let evidence = format!(
        "{}: {} of one core and {} of all {}{cost}",
        cell.name(),
        percent(load.worker),
        percent(load.machine),
        case.seen.cpus
    );
    Some(Limit {
        claim: "this machine's CPU, not the device".to_owned(),
        basis: None,
        evidence,
        counter: None,
    })
}

#[cfg(test)]
mod tests {
    use crate::fixture::Scene;
    use crate::quick::limit::fixture::{IOPS, explain, reads};

    #[test]
    fn a_full_core_and_a_half_full_one() {
        let full = explain(reads(800_000).cpu(IOPS, 0.2, 0.78), &Scene::surrounds(), IOPS);
        assert!(full.claim.contains("CPU"), "{full:?}");
        assert_eq!(full.evidence, "rand-read-iops: 98 % of one core and 24 % of all 4, 1.23 µs for each I/O");
        let half = explain(reads(80_000).cpu(IOPS, 0.2, 0.3), &Scene::surrounds(), IOPS);
        assert_eq!(half.claim, "the device");
    }
}
