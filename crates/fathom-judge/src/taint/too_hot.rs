//! A drive or a processor was at the limit of its temperature while the run was measured.
//!
//! What heat did is counted by the doctor's checks `cpu.throttle` and `nvme.temp`, whose findings are part of
//! `host-disturbed`. This rule sees heat that has not slowed anything down yet, or that is not counted.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use fathom_figures::Sampled;
use fathom_results::finding::{Heat, HotSensor};
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "too-hot", weight: Weight::Medium, check };

fn check(case: &Case<'_>) -> Option<Found> {
    if let Some(seconds) = case.cells.iter().find_map(throttled_s) {
        return Some(Found::new(Evidence::TooHot(Heat::Throttled(seconds))));
    }
    if !case.reaches_disk() {
        return None;
    }
    let sampled = Sampled::of(case.run)?;
    // A peak of some seconds is hidden in the mean.
    let mut hottest: Vec<HotSensor> = Vec::new();
    for sensor in sampled.each().flat_map(|span| span.temperatures()) {
        let Some(limit_celsius) = sensor.limit_celsius.filter(|limit| sensor.celsius >= *limit) else {
            continue;
        };
        match hottest.iter_mut().find(|known| known.name == sensor.name) {
            Some(known) => known.celsius = known.celsius.max(sensor.celsius),
            None => hottest.push(HotSensor { name: sensor.name, celsius: sensor.celsius, limit_celsius }),
        }
    }
    Found::where_any(hottest, |sensors| Evidence::TooHot(Heat::Sensors(sensors)))
}

/// For how long the simulated drives of a job slowed down because of heat, in seconds; `None` where they did not.
fn throttled_s(cell: &Cell<'_>) -> Option<f64> {
    let outcomes =
        cell.members.iter().filter(|_| cell.is_simulated()).filter_map(|member| member.outcome.as_ref());
    let notes =
        outcomes.flat_map(|outcome| &outcome.notes).filter(|(name, _)| name.ends_with("throttled_ns"));
    let ns = notes.filter_map(|(_, value)| value.parse::<f64>().ok()).fold(0.0, f64::max);
    (ns > 0.0).then_some(ns / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn one_second_at_the_limit_is_enough() {
        let found = |peak: u64, limit: u64| {
            let job = "rw=randread bs=4k ioengine=psync filename=/data/f";
            let mut run = RunBuilder::of(job).all(3, DirectionLoad::reads(1_000, 4096, 100_000));
            for (second, millikelvin) in (0..).zip([320_150, peak, 330_150]) {
                let row: [(&str, &str, &[u64]); 1] = [("temperature", "nvme0", &[millikelvin, limit])];
                run = run.sampled(second * SECOND, (second + 1) * SECOND, &row);
            }
            check(&Case::new(&run.run(), &crate::fixture::surrounds())).map(|found| found.evidence())
        };
        assert_eq!(found(356_150, 355_150).as_deref(), Some("nvme0 reached 83 °C; it warns from 82 °C"));
        assert_eq!((found(354_150, 355_150), found(400_150, 0)), (None, None));
    }
}
