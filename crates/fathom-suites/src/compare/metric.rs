//! The figures that are compared: a table.

use super::latency::{latency_mean, main, percentile, quantile};
use fathom_figures::{DirectionFigures, Row};
use fathom_stats::Estimate;

/// A figure of one direction of a job.
pub(super) struct Metric {
    /// As people read it.
    pub words: &'static str,
    /// Unit of its values.
    pub unit: &'static str,
    pub kind: MetricKind,
    /// Its value; `None` where it was not measured, or from too little.
    pub value: fn(&DirectionFigures<'_>) -> Option<f64>,
    /// Its interval within a single run.
    pub within: fn(&DirectionFigures<'_>) -> Option<Estimate>,
}

/// What kind of figure it is: that decides how it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MetricKind {
    /// I/Os a second, the figure of small blocks.
    Iops,
    /// Bytes a second, the figure of large blocks.
    Bandwidth,
    /// A mean time.
    Mean,
    /// A percentile: its runs have long tails, so their order is compared.
    Percentile,
    /// Values that a person typed, or that another program printed.
    Typed {
        /// Whether a larger value is a better one.
        is_more_better: bool,
    },
}

impl MetricKind {
    /// Is a larger value a better one?
    pub fn is_more_better(self) -> bool {
        match self {
            MetricKind::Iops | MetricKind::Bandwidth => true,
            MetricKind::Mean | MetricKind::Percentile => false,
            MetricKind::Typed { is_more_better } => is_more_better,
        }
    }

    /// Can it be compared between jobs of different block sizes?
    pub fn is_free_of_block_size(self) -> bool {
        matches!(self, MetricKind::Bandwidth | MetricKind::Typed { .. })
    }
}

/// All of them, the most important first.
pub(super) const METRICS: [Metric; 6] = [
    Metric {
        words: "IOPS",
        unit: "IOPS",
        kind: MetricKind::Iops,
        value: |flow| rate(flow, flow.iops()),
        within: |flow| flow.iops_estimate(),
    },
    Metric {
        words: "bandwidth",
        unit: "bytes/s",
        kind: MetricKind::Bandwidth,
        value: |flow| rate(flow, flow.bytes_per_second()),
        within: |flow| flow.bandwidth_estimate(),
    },
    Metric {
        words: "mean latency",
        unit: "ns",
        kind: MetricKind::Mean,
        value: |flow| main(flow)?.moments.mean(),
        within: latency_mean,
    },
    Metric {
        words: "p50 latency",
        unit: "ns",
        kind: MetricKind::Percentile,
        value: |flow| percentile(flow, 50.0),
        within: |flow| quantile(flow, 50.0),
    },
    Metric {
        words: "p99 latency",
        unit: "ns",
        kind: MetricKind::Percentile,
        value: |flow| percentile(flow, 99.0),
        within: |flow| quantile(flow, 99.0),
    },
    Metric {
        words: "p99.9 latency",
        unit: "ns",
        kind: MetricKind::Percentile,
        value: |flow| percentile(flow, 99.9),
        within: |flow| quantile(flow, 99.9),
    },
];

/// The CPU time of a job for each I/O, ns, which its directions share.
pub(super) fn cpu_ns_per_io(row: &Row<'_>) -> Option<f64> {
    row.cpu_ns_per_io().filter(|ns| *ns > 0.0)
}

fn rate(flow: &DirectionFigures<'_>, rate: f64) -> Option<f64> {
    (!flow.is_too_short() && rate > 0.0).then_some(rate)
}
