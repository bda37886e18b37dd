//! Percentiles that rest on a handful of events.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::distribution;
use crate::figure::Figure;
use crate::quantity::grouped;

pub(super) const RULE: TaintRule = TaintRule {
    code: "few-samples",
    hint: "a longer runtime, or read p99 instead of p99.9",
    stands_on: &[Figure::Percentiles],
    check,
};

/// Fewer values than this beyond a percentile, and it is hardly more than
/// single events: its relative error is above a third.
const TAIL_MIN: u64 = 10;
/// One in this many lies beyond p99.9.
const ONE_IN: u64 = 1_000;

fn check(case: &Case<'_>) -> Option<Found> {
    let mut few = Vec::new();
    for cell in &case.cells {
        for (direction, flow) in cell.flows() {
            let n = distribution(flow).map_or(0, |histogram| histogram.count());
            if n > 0 && n < TAIL_MIN * ONE_IN {
                few.push(format!(
                    "{}: {} {}s, {} beyond it",
                    cell.name(),
                    grouped(n),
                    direction.name(),
                    n / ONE_IN
                ));
            }
        }
    }
    Found::of("too few I/Os for a p99.9 that means anything", &few)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    fn found(ios: u64) -> Option<Found> {
        let job = "rw=randread bs=4k ioengine=psync filename=/data/f";
        let run = RunBuilder::of(job).all(2, DirectionLoad::reads(ios, 4096, 100_000)).run();
        check(&Case::new(&run, &RunBuilder::surrounds()))
    }

    #[test]
    fn ten_thousand_are_enough() {
        assert_eq!(found(2_406).unwrap().evidence, "t: 4,812 reads, 4 beyond it");
        assert_eq!(found(5_000), None);
    }
}
