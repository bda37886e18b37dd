//! Which of its latencies an I/O is judged by.

use crate::latency_window::LatencyWindow;
use crate::window::DirectionWindow;

/// The latency that a user of the target would see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MainLatency {
    Response,
    Completion,
    Total,
}

impl MainLatency {
    /// Response for I/Os with an intended start, else completion latency, else total latency; `None` where no
    /// distribution was kept.
    pub(crate) fn of(counts: &DirectionWindow) -> Option<Self> {
        let kinds = [MainLatency::Response, MainLatency::Completion, MainLatency::Total];
        let is_kept =
            |kind: &Self| kind.of_window(counts).histogram.as_ref().is_some_and(|h| h.totals().count() > 0);
        kinds.into_iter().find(is_kept)
    }

    pub(crate) fn of_window(self, counts: &DirectionWindow) -> &LatencyWindow {
        match self {
            MainLatency::Response => &counts.response,
            MainLatency::Completion => &counts.completion,
            MainLatency::Total => &counts.total,
        }
    }
}
