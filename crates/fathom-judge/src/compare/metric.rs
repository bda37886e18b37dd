//! The figures that are compared.

use super::latency::{latency_mean, percentile, quantile};
use fathom_figures::DirectionFigures;
use fathom_stats::Estimate;

/// What a figure is: that decides how it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Metric {
    /// I/Os a second, the figure of small blocks.
    Iops,
    /// Bytes a second, the figure of large blocks.
    Bandwidth,
    MeanLatency,
    P50Latency,
    P99Latency,
    P999Latency,
    /// The CPU time of a job for each I/O, which its directions share.
    CpuPerIo,
    /// Values that a person typed.
    Typed {
        /// Whether a larger value is a better one.
        is_more_better: bool,
    },
}

impl Metric {
    /// Those of one direction of a job, the most important first.
    pub const OF_DIRECTION: [Metric; 6] = [
        Metric::Iops,
        Metric::Bandwidth,
        Metric::MeanLatency,
        Metric::P50Latency,
        Metric::P99Latency,
        Metric::P999Latency,
    ];

    /// As people read it; empty for a typed figure, which has its own name.
    pub fn words(self) -> &'static str {
        match self {
            Metric::Iops => "IOPS",
            Metric::Bandwidth => "bandwidth",
            Metric::MeanLatency => "mean latency",
            Metric::P50Latency => "p50 latency",
            Metric::P99Latency => "p99 latency",
            Metric::P999Latency => "p99.9 latency",
            Metric::CpuPerIo => "CPU time per I/O",
            Metric::Typed { .. } => "",
        }
    }

    /// The unit of its values; empty where it is not known.
    pub fn unit(self) -> &'static str {
        match self {
            Metric::Iops => "IOPS",
            Metric::Bandwidth => "bytes/s",
            Metric::Typed { .. } => "",
            _ => "ns",
        }
    }

    /// Is a larger value a better one?
    pub fn is_more_better(self) -> bool {
        match self {
            Metric::Iops | Metric::Bandwidth => true,
            Metric::Typed { is_more_better } => is_more_better,
            _ => false,
        }
    }

    /// The percentile of latency that it is, if it is one. Its runs have long tails, so their order is
    /// compared.
    pub fn percentile(self) -> Option<f64> {
        match self {
            Metric::P50Latency => Some(50.0),
            Metric::P99Latency => Some(99.0),
            Metric::P999Latency => Some(99.9),
            _ => None,
        }
    }

    /// Is it a latency of single I/Os?
    pub fn is_latency(self) -> bool {
        self == Metric::MeanLatency || self.percentile().is_some()
    }

    /// Is it a rate? Of one that fell the part that lasted is compared.
    pub fn is_rate(self) -> bool {
        matches!(self, Metric::Iops | Metric::Bandwidth | Metric::Typed { .. })
    }

    /// Can it be compared between jobs of different block sizes? A bandwidth can where somebody chose to vary the size: larger
    /// blocks give more of it on every disk, so otherwise it says nothing of the disk.
    pub fn is_free_of_block_size(self, is_size_chosen: bool) -> bool {
        match self {
            Metric::Bandwidth => is_size_chosen,
            Metric::Typed { .. } => true,
            _ => false,
        }
    }

    /// Its value for one direction; `None` where it was not measured, or from too little. Of a rate that fell it is the one that
    /// lasted.
    pub fn value(self, flow: &DirectionFigures<'_>) -> Option<f64> {
        let rate = |rate: f64| (flow.unrated().is_none() && rate > 0.0).then_some(rate);
        let lasting = flow.lasting_rate();
        match self {
            Metric::Iops => rate(lasting.map_or(flow.iops(), |lasting| lasting.iops)),
            Metric::Bandwidth => {
                rate(lasting.map_or(flow.bytes_per_second(), |lasting| lasting.bytes_per_second))
            }
            Metric::MeanLatency => flow.main_latency_ns_mean(),
            Metric::CpuPerIo | Metric::Typed { .. } => None,
            Metric::P50Latency | Metric::P99Latency | Metric::P999Latency => {
                percentile(flow, self.percentile()?)
            }
        }
    }

    /// Its interval within a single run.
    pub fn within(self, flow: &DirectionFigures<'_>) -> Option<Estimate> {
        match self {
            Metric::Iops => flow.iops_estimate(),
            Metric::Bandwidth => flow.bandwidth_estimate(),
            Metric::MeanLatency => latency_mean(flow),
            Metric::CpuPerIo | Metric::Typed { .. } => None,
            Metric::P50Latency | Metric::P99Latency | Metric::P999Latency => {
                quantile(flow, self.percentile()?)
            }
        }
    }
}
