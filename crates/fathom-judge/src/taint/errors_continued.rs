//! I/Os that failed took time but moved nothing, and their latency is not counted.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use fathom_job::direction::Direction;
use fathom_results::finding::FailedIos;
use fathom_results::{DirectionTotals, Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "errors-continued", weight: Weight::Low, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let of_cell = |cell: &Cell<'_>| {
        let failed = cell.totals.directions.iter().filter(|(_, flow)| flow.errors > 0);
        let item = |(direction, flow): (Direction, &DirectionTotals)| FailedIos {
            job: cell.name().to_owned(),
            direction,
            failed: flow.errors,
            ios: flow.ios + flow.errors,
        };
        failed.map(item).collect::<Vec<_>>()
    };
    Found::where_any(case.cells.iter().flat_map(of_cell).collect(), |jobs| Evidence::ErrorsContinued { jobs })
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
        assert_eq!(found(flow).unwrap().evidence(), "t: 6 of 2,000 reads");
        assert_eq!(found(DirectionLoad::reads(997, 4096, 100_000)), None);
    }
}
