//! The figures of a round that decide the next step.

use crate::cell::{Cell, distribution};
use fathom_results::RunResult;
use fathom_results::procedure::RoundFigures;

/// The figures of each job of a round, its clones added up.
pub fn round_figures(run: &RunResult) -> Vec<RoundFigures> {
    Cell::all(run).iter().map(figures).collect()
}

fn figures(cell: &Cell<'_>) -> RoundFigures {
    let busiest = cell.flows().max_by_key(|(_, flow)| flow.ios).map(|(_, flow)| flow);
    RoundFigures {
        job: cell.name().to_owned(),
        seconds: cell.seconds(),
        ios: cell.ios(),
        iops: cell.iops(),
        bytes_per_second: cell.bytes_per_second(),
        latency_ns_mean: cell.latency_ns_mean(),
        latency_ns_p99: busiest.and_then(distribution).and_then(|latencies| latencies.quantile(0.99)),
        latency_ns_max: cell.latency_ns_max(),
    }
}
