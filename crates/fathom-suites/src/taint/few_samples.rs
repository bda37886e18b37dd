//! Percentiles that rest on a handful of events.

use super::{Found, TaintRule, TaintWeight};
use crate::case::Case;
use crate::figure::Figure;
use crate::quantity::grouped;
use fathom_figures::is_thin;

pub(super) const RULE: TaintRule = TaintRule {
    code: "few-samples",
    weight: TaintWeight::Aside,
    hint: "a longer runtime, or read p99 instead of p99.9",
    stands_on: &[Figure::Percentiles],
    check,
};

/// One in this many lies beyond p99.9.
const ONE_IN: u64 = 1_000;

fn check(case: &Case<'_>) -> Option<Found> {
    let mut few = Vec::new();
    for cell in &case.cells {
        for (direction, _) in cell.flows() {
            let flow = cell.flow(direction);
            let n = flow.distribution().map_or(0, |histogram| histogram.count());
            if n > 0 && is_thin(n, 99.9) {
                let slower = match n / ONE_IN {
                    0 => "no I/O was slower".to_owned(),
                    slower => format!("{slower} took longer"),
                };
                few.push(format!("{}: {} {}s, {slower}", cell.name(), grouped(n), direction.name()));
            }
        }
    }
    Found::of("too few I/Os for a reliable p99.9", &few)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    fn found(ios: u64) -> Option<Found> {
        let job = "rw=randread bs=4k ioengine=psync filename=/data/f";
        let run = RunBuilder::of(job).all(2, DirectionLoad::reads(ios, 4096, 100_000)).run();
        check(&Case::new(&run, &crate::fixture::surrounds()))
    }

    #[test]
    fn ten_thousand_are_enough() {
        assert_eq!(found(2_406).unwrap().evidence, "t: 4,812 reads, 4 took longer");
        assert_eq!(found(400).unwrap().evidence, "t: 800 reads, no I/O was slower");
        assert_eq!(found(5_000), None);
    }
}
