//! What a knob did to a figure: ratios of runs that were measured in turn.

use fathom_device::Goal;
use fathom_results::RunResult;
use fathom_stats::{Estimate, median_ratio};

/// The confidence of the intervals.
const CONFIDENCE: f64 = 0.95;

/// The figure of one run that a goal is about; `None` if the run did no I/O.
pub(super) fn figure(run: &RunResult, goal: Goal) -> Option<f64> {
    let mut total = 0.0;
    let (mut sum_ns, mut ios) = (0.0, 0);
    for job in &run.jobs {
        let seconds = job.runtime_ns() as f64 / 1e9;
        for (_, direction) in job.totals.directions.iter() {
            let amount = if goal == Goal::Bandwidth { direction.bytes } else { direction.ios };
            total += if seconds > 0.0 { amount as f64 / seconds } else { 0.0 };
            sum_ns += direction.total.moments.sum() as f64;
            ios += direction.total.moments.count();
        }
    }
    let figure = if goal == Goal::Latency && ios > 0 { sum_ns / ios as f64 } else { total };
    (figure > 0.0).then_some(figure)
}

/// What is compared, with its unit.
pub(super) fn quantity(goal: Goal) -> &'static str {
    match goal {
        Goal::Latency => "mean latency (ns)",
        Goal::Bandwidth => "bytes/s",
        Goal::Iops | Goal::Repeatability => "IOPS",
    }
}

/// The effect in words. If the interval contains 1, no effect was seen, whatever
/// the median is.
pub(super) fn verdict(without: &[f64], with: &[f64], goal: Goal) -> String {
    let Some(ratio) = median_ratio(without, with, CONFIDENCE) else {
        return format!("{}: too few pairs, or a run without I/O: no verdict", quantity(goal));
    };
    let said = if ratio.low <= 1.0 && 1.0 <= ratio.high {
        "no measurable effect".to_owned()
    } else {
        format!("{:+.1} %", percent(ratio.value))
    };
    format!("{}: {said} ({})", quantity(goal), interval(&ratio))
}

fn percent(ratio: f64) -> f64 {
    (ratio - 1.0) * 100.0
}

fn interval(ratio: &Estimate) -> String {
    format!(
        "median {:+.2} %, 95 % interval {:+.2} to {:+.2} %, {} pairs",
        percent(ratio.value),
        percent(ratio.low),
        percent(ratio.high),
        ratio.n
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_no_effect() {
        let without = [100.0, 104.0, 98.0, 101.0, 99.0, 103.0, 97.0, 100.0];
        let with = [101.0, 99.0, 100.0, 103.0, 97.0, 104.0, 99.0, 98.0];
        assert!(verdict(&without, &with, Goal::Iops).contains("no measurable effect"));
    }

    #[test]
    fn a_steady_gain_is_told_with_its_interval() {
        let without = [100.0, 104.0, 98.0, 101.0, 99.0, 103.0, 97.0, 100.0];
        let with = without.map(|v| v * 1.1);
        let said = verdict(&without, &with, Goal::Bandwidth);
        assert!(said.starts_with("bytes/s: +10.0 %") && said.contains("8 pairs"), "{said}");
    }

    #[test]
    fn too_little_is_no_verdict() {
        assert!(verdict(&[1.0; 5], &[1.0; 5], Goal::Iops).contains("no verdict"));
    }
}
