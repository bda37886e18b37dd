//! The hypervisor gave CPUs of this machine to others during the measurement.

use super::{Found, TaintRule};
use crate::case::Case;
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "steal", weight: Weight::Medium, check };

/// Above 1 % stolen time, latency tails include the load of other guests.
const STEAL_PERCENT_MAX: f64 = 1.0;

fn check(case: &Case<'_>) -> Option<Found> {
    let percent =
        case.surrounds.steal_percent.filter(|steal| *steal > STEAL_PERCENT_MAX && case.reaches_disk())?;
    Some(Found::new(Evidence::Steal { percent, percent_max: STEAL_PERCENT_MAX }))
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
            let surrounds = Surrounds { steal_percent, ..crate::fixture::surrounds() };
            check(&Case::new(&run, &surrounds)).map(|found| found.evidence())
        };
        assert_eq!(found(Some(3.25)).as_deref(), Some("3.2 % of CPU time stolen; limit 1 %"));
        assert_eq!((found(Some(0.4)), found(None)), (None, None));
    }
}
