//! The run's own files are written to the filesystem that it measures.

use super::{Found, TaintRule, TaintWeight};
use crate::case::Case;
use crate::figure::Figure;
use crate::quantity::grouped;

pub(super) const RULE: TaintRule = TaintRule {
    code: "same-filesystem",
    weight: TaintWeight::Aside,
    hint: "--runs-dir on another filesystem, such as /dev/shm",
    stands_on: &[Figure::Plan],
    check,
};

fn check(case: &Case<'_>) -> Option<Found> {
    if !case.seen.results_on_same_fs || !case.reaches_disk() {
        return None;
    }
    let appends: usize = case.run.jobs.iter().map(|job| job.series.len()).sum();
    let seconds = case.run.reaches_ns as f64 / 1e9;
    let evidence =
        format!("{} appends to the spool in {seconds:.0} s, about one a second", grouped(appends as u64));
    Found::new("the run's directory lies on the filesystem under test", evidence)
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
            let seen = Surrounds { results_on_same_fs, ..crate::fixture::surrounds() };
            check(&Case::new(&run, &seen)).map(|found| found.evidence)
        };
        assert_eq!(found(true).as_deref(), Some("4 appends to the spool in 4 s, about one a second"));
        assert_eq!(found(false), None);
    }
}
