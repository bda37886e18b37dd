//! How files of fio are read.

use fathom_figures::fio::{FioLogKind, LatencyUnit};
use std::time::Duration;

/// How files are read.
#[derive(Clone, Debug, Default)]
pub struct ImportTerms {
    /// What the values of all logs are, whatever their names say.
    pub kind: Option<FioLogKind>,
    /// The unit of latencies in logs.
    pub latency_unit: LatencyUnit,
    /// Nothing before this time of a log.
    pub from: Duration,
    /// Nothing from this time of a log on.
    pub to: Option<Duration>,
    /// What the reader calls it.
    pub title: String,
}
