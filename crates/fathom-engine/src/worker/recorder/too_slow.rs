//! `max_latency`: an I/O that took longer ends its job.

use crate::desc::Op;
use crate::worker::failure;
use fathom_job::plan::Pace;
use fathom_results::JobFailure;

/// An I/O beyond `max_latency`.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooSlow {
    pub(super) op: Op,
    pub(super) total_ns: u64,
    pub(super) most_ns: u64,
}

impl TooSlow {
    pub(super) fn failure(self) -> JobFailure {
        let ms = |ns: u64| ns as f64 / 1e6;
        let message = format!(
            "a {} took {:.3} ms, more than max_latency={:.3} ms allows",
            self.op.name(),
            ms(self.total_ns),
            ms(self.most_ns)
        );
        JobFailure { direction: self.op.direction(), ..failure(libc::ETIMEDOUT, message) }
    }
}

/// Just above the least `max_latency` of any direction.
pub(super) fn watch_ns(pace: &Pace) -> u64 {
    let least = pace.latency_max.iter().filter_map(|(_, most)| *most).map(|most| most.0).min();
    least.map_or(u64::MAX, |least| least.saturating_add(1))
}
