//! One latency of one direction.

use super::detail::Want;
use fathom_results::LatencyWindow;
use fathom_stats::{Moments, WindowHistogram};

/// One latency, as much of it as the job asks for.
#[derive(Clone, Debug, Default)]
pub enum Metric {
    /// Nothing (`disable_*`, or a direction that the job does not use).
    #[default]
    Off,
    /// Count, sums, minimum and maximum.
    Sums(Moments),
    /// The distribution too.
    Full(Box<WindowHistogram>),
}

impl Metric {
    pub fn new(want: Want) -> Metric {
        match want {
            Want::Off => Metric::Off,
            Want::Sums => Metric::Sums(Moments::new()),
            Want::Full => Metric::Full(Box::new(WindowHistogram::new())),
        }
    }

    #[inline(always)]
    pub fn record(&mut self, ns: u64) {
        match self {
            Metric::Off => {}
            Metric::Sums(moments) => moments.record(ns),
            Metric::Full(histogram) => histogram.record(ns),
        }
    }

    #[inline]
    pub fn record_n(&mut self, ns: u64, n: u64) {
        match self {
            Metric::Off => {}
            Metric::Sums(moments) => moments.record_n(ns, n),
            Metric::Full(histogram) => histogram.record_n(ns, n),
        }
    }

    pub fn clear(&mut self) {
        match self {
            Metric::Off => {}
            Metric::Sums(moments) => *moments = Moments::new(),
            Metric::Full(histogram) => histogram.clear(),
        }
    }

    /// The form in which it goes to the spool.
    pub fn window(&self) -> LatencyWindow {
        match self {
            Metric::Off => LatencyWindow::default(),
            Metric::Sums(moments) => LatencyWindow { moments: *moments, histogram: None },
            Metric::Full(histogram) => window(histogram),
        }
    }
}

/// A distribution as it goes to the spool.
pub fn window(histogram: &WindowHistogram) -> LatencyWindow {
    LatencyWindow {
        moments: *histogram.totals(),
        histogram: (!histogram.is_empty()).then(|| histogram.sparse()),
    }
}
