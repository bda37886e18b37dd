//! I/Os that failed took time but moved nothing, and their latency is not counted.

use super::{Found, TaintRule, TaintWeight};
use crate::case::Case;
use crate::figure::Figure;
use crate::quantity::grouped;

pub(super) const RULE: TaintRule = TaintRule {
    code: "errors-continued",
    weight: TaintWeight::Low,
    hint: "see the run's events and dmesg for the failing blocks",
    stands_on: &[Figure::Errors],
    check,
};

fn check(case: &Case<'_>) -> Option<Found> {
    let mut failed = Vec::new();
    for cell in &case.cells {
        for (direction, flow) in cell.totals.directions.iter().filter(|(_, flow)| flow.errors > 0) {
            let of = grouped(flow.ios + flow.errors);
            failed.push(format!("{}: {} of {of} {}s", cell.name(), grouped(flow.errors), direction.name()));
        }
    }
    Found::of("I/Os failed and the run went on", &failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    fn found(flow: DirectionLoad) -> Option<Found> {
        let run = RunBuilder::of("rw=randread bs=4k ioengine=psync filename=/data/f").all(2, flow).run();
        check(&Case::new(&run, &crate::fixture::surrounds()))
    }

    #[test]
    fn failed_ios_are_counted() {
        let flow = DirectionLoad { errors: 3, ..DirectionLoad::reads(997, 4096, 100_000) };
        assert_eq!(found(flow).unwrap().evidence, "t: 6 of 2,000 reads");
        assert_eq!(found(DirectionLoad::reads(997, 4096, 100_000)), None);
    }
}
