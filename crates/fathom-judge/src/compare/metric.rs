//! What a compared figure is: that decides how it is compared.

use fathom_figures::metric::{Better, Metric};

/// A figure of a subject: a metric of the catalogue, or values that a person typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComparedMetric {
    Measured(&'static Metric),
    Typed {
        /// Whether a larger value is a better one.
        is_more_better: bool,
    },
}

impl ComparedMetric {
    fn measured(self) -> Option<&'static Metric> {
        match self {
            ComparedMetric::Measured(metric) => Some(metric),
            ComparedMetric::Typed { .. } => None,
        }
    }

    /// Has it this id?
    pub fn is(self, id: &str) -> bool {
        self.measured().is_some_and(|metric| metric.id == id)
    }

    /// The unit of its values in a comparison; empty where it is not known.
    pub fn unit(self) -> &'static str {
        match self.measured().map(|metric| metric.id) {
            Some("iops") => "IOPS",
            Some("bandwidth") => "bytes/s",
            Some(_) => "ns",
            None => "",
        }
    }

    /// Is a larger value a better one?
    pub fn is_more_better(self) -> bool {
        match self {
            ComparedMetric::Measured(metric) => metric.better == Better::More,
            ComparedMetric::Typed { is_more_better } => is_more_better,
        }
    }

    /// Is it a percentile of latency? Its runs have long tails, so their order is compared.
    pub fn is_percentile(self) -> bool {
        self.measured().is_some_and(|metric| metric.percentile().is_some())
    }

    /// Is it a latency of single I/Os?
    pub fn is_latency(self) -> bool {
        self.measured().is_some_and(Metric::is_latency)
    }

    /// Is it a rate? Of one that fell the part that lasted is compared.
    pub fn is_rate(self) -> bool {
        self.measured().is_none_or(Metric::is_rate)
    }

    /// Can it be compared between jobs of different block sizes? A bandwidth can where somebody chose to vary the size: larger
    /// blocks give more of it on every disk, so otherwise it says nothing of the disk.
    pub fn is_free_of_block_size(self, is_size_chosen: bool) -> bool {
        match self {
            ComparedMetric::Measured(_) => self.is("bandwidth") && is_size_chosen,
            ComparedMetric::Typed { .. } => true,
        }
    }
}
