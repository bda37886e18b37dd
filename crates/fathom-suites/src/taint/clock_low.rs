//! Busy CPUs ran below their nominal clock while the run was measured.
//!
//! The limits are those of the doctor's check `cpu.clock`: the processor lowers its clock by up to 10 % for heavy
//! vector code. The clock of a CPU that sleeps says nothing, so busy ones alone count.

use super::{Found, TaintRule, TaintWeight};
use crate::case::Case;
use crate::figure::Figure;
use fathom_figures::Sampled;

pub(super) const RULE: TaintRule = TaintRule {
    code: "clock-low",
    weight: TaintWeight::Medium,
    hint: "fathom doctor during the run finds what holds the clock down; fathom run --tune raises its limits",
    stands_on: &[Figure::Samples],
    check,
};

/// A CPU that is busy for this share of the time runs at the clock that the load gets, percent.
const BUSY_PERCENT_MIN: f64 = 90.0;

/// Below this part of the nominal clock.
const RATIO_MIN: f64 = 0.9;

/// CPUs that are named.
const TOLD_MAX: usize = 4;

fn check(case: &Case<'_>) -> Option<Found> {
    if !case.reaches_disk() {
        return None;
    }
    let span = Sampled::of(case.run)?.measured();
    let cpus = span.cpus();
    let is_busy = |cpu: &str| cpus.iter().any(|it| it.name == cpu && it.time.busy() >= BUSY_PERCENT_MIN);
    let clocks = span.clocks().into_iter().filter(|clock| is_busy(&clock.cpu));
    let slow: Vec<String> = clocks
        .filter_map(|clock| {
            let nominal = clock.nominal_mhz?;
            let words = format!("CPU {} at {:.0} of {nominal:.0} MHz", clock.cpu, clock.mhz);
            (clock.mhz < RATIO_MIN * nominal).then_some(words)
        })
        .collect();
    let more = slow.len().saturating_sub(TOLD_MAX);
    let more = if more > 0 { format!("; {more} more") } else { String::new() };
    let told = slow[..slow.len().min(TOLD_MAX)].join("; ");
    let message = "busy processors ran below their nominal clock, so I/O cost more time than it must";
    if slow.is_empty() { None } else { Found::new(message, told + &more) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    const SECOND: u64 = 1_000_000_000;

    fn found(engine: &str, idle: u64, khz: u64, nominal: u64) -> Option<String> {
        let job = format!("rw=randread bs=4k ioengine={engine} size=1m filename=/data/f");
        let run = RunBuilder::of(&job).all(1, DirectionLoad::reads(1_000, 4096, 100_000));
        let rows: [(&str, &str, &[u64]); 2] =
            [("cpu", "0", &[100 - idle, 0, 0, idle]), ("clock", "0", &[khz, nominal])];
        let run = run.sampled(0, SECOND, &rows).run();
        check(&Case::new(&run, &crate::fixture::surrounds())).map(|found| found.evidence)
    }

    #[test]
    fn only_a_busy_cpu_below_its_nominal_clock_counts() {
        let said = found("psync", 5, 2_000_000, 2_600_000);
        assert_eq!(said.as_deref(), Some("CPU 0 at 2000 of 2600 MHz"));
        assert_eq!(found("psync", 5, 2_500_000, 2_600_000), None, "as much as vector code costs");
        assert_eq!(found("psync", 50, 2_000_000, 2_600_000), None, "its clock says nothing");
        assert_eq!(found("psync", 5, 2_000_000, 0), None, "no nominal clock is known");
        assert_eq!(found("null", 5, 2_000_000, 2_600_000), None, "no device is measured");
    }
}
