//! Busy CPUs ran below their nominal clock while the run was measured.
//!
//! The limits are those of the doctor's check `cpu.clock`: the processor lowers its clock by up to 10 % for heavy
//! vector code. The clock of a CPU that sleeps says nothing, so busy ones alone count.

use super::{Found, TaintRule};
use crate::case::Case;
use fathom_figures::Sampled;
use fathom_results::finding::LowClock;
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "clock-low", weight: Weight::Medium, check };

/// A CPU that is busy for this share of the time runs at the clock that the load gets, percent.
const BUSY_PERCENT_MIN: f64 = 90.0;

/// Below this part of the nominal clock.
const RATIO_MIN: f64 = 0.9;

fn check(case: &Case<'_>) -> Option<Found> {
    if !case.reaches_disk() {
        return None;
    }
    let span = Sampled::of(case.run)?.measured();
    let cpus = span.cpus();
    let is_busy = |cpu: &str| cpus.iter().any(|it| it.name == cpu && it.time.busy() >= BUSY_PERCENT_MIN);
    let clocks = span.clocks().into_iter().filter(|clock| is_busy(&clock.cpu));
    let slow = clocks.filter_map(|clock| {
        let nominal_mhz = clock.nominal_mhz.filter(|nominal| clock.mhz < RATIO_MIN * nominal)?;
        Some(LowClock { cpu: clock.cpu, mhz: clock.mhz, nominal_mhz })
    });
    Found::where_any(slow.collect(), |cpus| Evidence::ClockLow { cpus })
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
        check(&Case::new(&run, &crate::fixture::surrounds())).map(|found| found.evidence())
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
