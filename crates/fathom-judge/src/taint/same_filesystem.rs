//! The run's own files are written to the filesystem that it measures.

use super::{Found, TaintRule};
use crate::case::Case;
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "same-filesystem", weight: Weight::Aside, check };

fn check(case: &Case<'_>) -> Option<Found> {
    if !case.surrounds.results_on_same_fs || !case.reaches_disk() {
        return None;
    }
    let writes = case.run.jobs.iter().map(|job| job.series.len() as u64).sum();
    Some(Found::new(Evidence::SameFilesystem { writes }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::surrounds::Surrounds;

    #[test]
    fn said_only_where_it_is_so() {
        let job = "rw=randread bs=4k ioengine=psync filename=/data/f";
        let run = RunBuilder::of(job).all(4, DirectionLoad::reads(1_000, 4096, 100_000)).run();
        let found = |results_on_same_fs| {
            let surrounds = Surrounds { results_on_same_fs, ..crate::fixture::surrounds() };
            check(&Case::new(&run, &surrounds)).map(|found| found.evidence())
        };
        assert_eq!(found(true).as_deref(), Some("4 small writes"));
        assert_eq!(found(false), None);
    }
}
