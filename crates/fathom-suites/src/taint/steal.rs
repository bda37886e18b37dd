//! The hypervisor gave CPUs of this machine to others during the measurement.

use super::{Found, TaintRule, TaintWeight};
use crate::case::Case;
use crate::figure::Figure;

pub(super) const RULE: TaintRule = TaintRule {
    code: "steal",
    weight: TaintWeight::Medium,
    hint: "repeat at a quieter time, or on a host without other guests",
    stands_on: &[Figure::Steal],
    check,
};

/// Above 1 % stolen time, latency tails include the load of other guests.
const STEAL_PERCENT_MAX: f64 = 1.0;

fn check(case: &Case<'_>) -> Option<Found> {
    let steal = case.seen.steal_percent.filter(|steal| *steal > STEAL_PERCENT_MAX && case.reaches_disk())?;
    let evidence = format!("{steal:.1} % of CPU time stolen; limit {STEAL_PERCENT_MAX} %");
    Found::new("other guests of this host took CPU time, which is part of the latencies", evidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::surrounds::Surrounds;

    #[test]
    fn stolen_time_counts_when_it_is_known() {
        let job = "rw=randread bs=4k ioengine=psync filename=/data/f";
        let run = RunBuilder::of(job).all(2, DirectionLoad::reads(1_000, 4096, 100_000)).run();
        let found = |steal_percent| {
            let seen = Surrounds { steal_percent, ..crate::fixture::surrounds() };
            check(&Case::new(&run, &seen)).map(|found| found.evidence)
        };
        assert_eq!(found(Some(3.25)).as_deref(), Some("3.2 % of CPU time stolen; limit 1 %"));
        assert_eq!((found(Some(0.4)), found(None)), (None, None));
    }
}
