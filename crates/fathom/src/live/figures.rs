//! The rates and latencies of the last second.
//!
//! A worker sends a window each second, and all of them at slightly different times. So the last
//! window of each worker is kept, and the sum over them is the last second of the run.

use super::feed::Feed;
use super::last_window::LastWindow;
use fathom_job::direction::{Direction, PerDirection};
use fathom_stats::Histogram;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// The last second of all workers together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// I/Os per second.
    pub ios: PerDirection<f64>,
    /// Bytes per second.
    pub bytes: PerDirection<f64>,
    /// Median and 99th percentile of the latency, ns; `None` where no distribution is kept.
    pub latency_ns: Option<(u64, u64)>,
}

impl Figures {
    /// I/Os per second of all directions.
    pub fn iops(&self) -> f64 {
        self.ios.iter().map(|(_, rate)| rate).sum()
    }

    /// Bytes per second of all directions.
    pub fn bytes_per_second(&self) -> f64 {
        self.bytes.iter().map(|(_, rate)| rate).sum()
    }
}

/// A window older than this is no longer the last second: its worker waits for an I/O.
const OLD: Duration = Duration::from_secs(3);

/// Most windows that are taken at a time.
const TAKEN_MAX: usize = 8192;

/// The last window of each worker.
pub struct LastSecond {
    windows: Vec<Option<(Instant, LastWindow)>>,
}

impl LastSecond {
    /// No windows yet of this many workers.
    pub fn of(workers: usize) -> Self {
        LastSecond { windows: std::iter::repeat_with(|| None).take(workers).collect() }
    }

    /// Takes the windows that have come since the last time.
    pub fn take(&mut self, queue: &Receiver<LastWindow>) {
        let now = Instant::now();
        // A run in virtual time can send windows as fast as they are taken here.
        for window in queue.try_iter().take(TAKEN_MAX) {
            if let Some(slot) = self.windows.get_mut(window.job as usize)
                && !(window.is_rest() && slot.is_some())
            {
                *slot = Some((now, window));
            }
        }
    }

    /// The sum over the workers that run. Windows of others are forgotten. `None` before the first
    /// window.
    pub fn figures(&mut self, feed: &Feed) -> Option<Figures> {
        let now = Instant::now();
        for (job, slot) in (0..).zip(&mut self.windows) {
            if slot.is_some() && !feed.state(job).runs() {
                *slot = None;
            }
        }
        let known: Vec<_> = self.windows.iter().flatten().collect();
        let recent = || known.iter().filter(|(at, _)| now - *at < OLD).map(|(_, window)| window);
        let mut histogram = Histogram::new();
        recent().flat_map(|window| &window.latency).for_each(|one| histogram.add_sparse(one));
        let sum = |of: &dyn Fn(&LastWindow, Direction) -> u64| {
            PerDirection::from_fn(|d| recent().map(|window| window.per_second(of(window, d))).sum())
        };
        (!known.is_empty()).then(|| Figures {
            ios: sum(&|window, d| window.ios[d]),
            bytes: sum(&|window, d| window.bytes[d]),
            latency_ns: histogram.quantile(0.5).zip(histogram.quantile(0.99)),
        })
    }
}
