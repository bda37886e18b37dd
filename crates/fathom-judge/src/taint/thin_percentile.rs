//! Percentiles that rest on a handful of events.

use super::{Found, TaintRule};
use crate::case::Case;
use fathom_figures::is_thin;
use fathom_results::finding::FewIos;
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "few-samples", weight: Weight::Aside, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let mut jobs = Vec::new();
    for cell in &case.cells {
        for (direction, _) in cell.flows() {
            let flow = cell.flow(direction);
            let ios = flow.distribution().map_or(0, |histogram| histogram.count());
            if ios > 0 && is_thin(ios, 99.9) {
                jobs.push(FewIos { job: cell.name().to_owned(), direction, ios });
            }
        }
    }
    Found::where_any(jobs, |jobs| Evidence::FewSamples { jobs })
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
        assert_eq!(found(2_406).unwrap().evidence(), "t: 4,812 reads, 4 took longer");
        assert_eq!(found(400).unwrap().evidence(), "t: 800 reads, no I/O was slower");
        assert_eq!(found(5_000), None);
    }
}
