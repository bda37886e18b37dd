//! The figures of a round that decide the next step.

use crate::cell::Cell;
use fathom_figures::Whole;
use fathom_results::RunResult;
use fathom_results::procedure::{AskedRate, RoundFigures};

/// The figures of each job of a round, its clones added up.
pub fn round_figures(run: &RunResult) -> Vec<RoundFigures> {
    Cell::all(run).iter().map(figures).collect()
}

/// The figures of all jobs of a round together.
pub fn whole_figures(run: &RunResult) -> RoundFigures {
    let whole = Whole::of(run);
    RoundFigures {
        job: String::new(),
        seconds: whole.measured_ns as f64 / 1e9,
        ios: whole.ios,
        iops: whole.iops(),
        bytes_per_second: whole.bytes_per_second(),
        latency_ns_mean: whole.latency.mean(),
        latency_ns_max: whole.latency.max(),
        ..RoundFigures::default()
    }
}

fn figures(job: &Cell<'_>) -> RoundFigures {
    let busiest = job.flows().max_by_key(|(_, flow)| flow.ios).map(|(direction, _)| job.flow(direction));
    let is_response = job.is_paced();
    let latency = if is_response { job.response() } else { job.latency() };
    let distribution = busiest.as_ref().and_then(|flow| match is_response {
        true => flow.main_latency()?.1.histogram.as_ref(),
        false => flow.distribution(),
    });
    RoundFigures {
        job: job.name().to_owned(),
        seconds: job.seconds(),
        ios: job.ios(),
        iops: job.iops(),
        bytes_per_second: job.bytes_per_second(),
        latency_ns_mean: latency.mean(),
        latency_ns_p99: distribution.and_then(|histogram| histogram.quantile(0.99)),
        latency_ns_p99999: distribution.and_then(|histogram| histogram.quantile(0.99999)),
        latency_ns_max: latency.max(),
        cpu_percent: cpu_percent(job),
        is_response,
        asked: job.asked_rate().map(|rate| AskedRate { rate, is_kept: job.keeps_its_rate() }),
    }
}

/// CPU time of the workers, per cent of one core. Where time is virtual, it says nothing.
fn cpu_percent(job: &Cell<'_>) -> Option<f64> {
    let used = job.worker_cpu_ns().filter(|_| !job.is_simulated())?;
    (job.seconds() > 0.0).then(|| used as f64 / 1e7 / job.seconds())
}
