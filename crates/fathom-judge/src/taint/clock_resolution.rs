//! Latencies near the cost of reading the clock are mostly the clock's.

use super::{Found, TaintRule};
use crate::case::Case;
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "clock-resolution", weight: Weight::Aside, check };

/// Two fenced reads of the time-stamp counter take some 20 to 50 ns; a latency
/// should be well above that before it is believed.
const LATENCY_NS_MIN: f64 = 200.0;

fn check(case: &Case<'_>) -> Option<Found> {
    case.cells.iter().filter(|cell| cell.has_target()).find_map(|cell| {
        let latency_ns_mean = cell.latency_ns_mean().filter(|mean| *mean < LATENCY_NS_MIN)?;
        let outcome = cell.members[0].outcome.as_ref();
        let clock = outcome.and_then(|o| o.notes.iter().find(|(name, _)| name == "clock"));
        let clock = clock.map_or("unknown", |(_, name)| name.as_str()).to_owned();
        Some(Found::new(Evidence::ClockResolution { job: cell.name().to_owned(), latency_ns_mean, clock }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    fn found(options: &str, latency_ns: u64) -> Option<Found> {
        let run = RunBuilder::of(options).all(2, DirectionLoad::reads(1_000, 4096, latency_ns)).run();
        check(&Case::new(&run, &crate::fixture::surrounds()))
    }

    #[test]
    fn short_latencies_on_anything_but_null() {
        const ZERO: &str = "rw=read bs=4k ioengine=psync filename=/dev/zero size=1g";
        assert_eq!(found(ZERO, 120).unwrap().evidence(), "t: mean latency 120 ns, clock tsc");
        assert_eq!(found(ZERO, 400), None);
        assert_eq!(found("rw=read bs=4k ioengine=null size=1g", 60), None);
    }
}
