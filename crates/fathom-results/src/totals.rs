//! Totals of a job or of a group of jobs: windows added up.
//!
//! Histograms are merged, never averaged; a group's totals are those of all
//! its I/Os, as if one worker had made them.

use crate::latency_window::LatencyWindow;
use crate::window::{DirectionWindow, Window};
use fathom_job::direction::PerDirection;
use fathom_stats::{Histogram, Moments};

/// One latency over a whole run.
#[derive(Clone, Debug, Default)]
pub struct Latency {
    /// Count, sums, minimum and maximum.
    pub moments: Moments,
    /// The distribution, where it was kept.
    pub histogram: Option<Histogram>,
}

impl Latency {
    /// Adds the latency of one interval.
    pub fn add(&mut self, window: &LatencyWindow) {
        self.moments.merge(&window.moments);
        if let Some(sparse) = &window.histogram {
            self.histogram.get_or_insert_with(Histogram::new).add_sparse(sparse);
        }
    }

    /// Adds the latency of another job.
    pub fn merge(&mut self, other: &Latency) {
        self.moments.merge(&other.moments);
        if let Some(histogram) = &other.histogram {
            self.histogram.get_or_insert_with(Histogram::new).merge(histogram);
        }
    }
}

/// One direction over the measured window.
#[derive(Clone, Debug, Default)]
pub struct DirectionTotals {
    /// I/Os completed in the measured window.
    pub ios: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// I/Os started in the measured window and completed after it.
    pub drained_ios: u64,
    /// Bytes that they moved.
    pub drained_bytes: u64,
    /// I/Os that moved less than asked.
    pub short_ios: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// Descriptor taken → completion seen.
    pub total: Latency,
    /// Submit call begun → completion seen.
    pub completion: Latency,
    /// Descriptor taken → submit call begun.
    pub submission: Latency,
    /// Intended start → completion seen; empty for jobs without a rate.
    pub response: Latency,
}

impl DirectionTotals {
    fn add(&mut self, window: &DirectionWindow) {
        self.ios = self.ios.saturating_add(window.ios);
        // Trims of exbibytes reach the end of 64 bits.
        self.bytes = self.bytes.saturating_add(window.bytes);
        self.short_ios = self.short_ios.saturating_add(window.short_ios);
        self.errors = self.errors.saturating_add(window.errors);
        self.total.add(&window.total);
        self.completion.add(&window.completion);
        self.submission.add(&window.submission);
        self.response.add(&window.response);
    }

    /// Adds what completed after the measured window and was started in it: its
    /// latency and its failures, but no throughput.
    fn add_drained(&mut self, window: &DirectionWindow) {
        self.drained_ios = self.drained_ios.saturating_add(window.ios);
        self.drained_bytes = self.drained_bytes.saturating_add(window.bytes);
        self.add(&DirectionWindow { ios: 0, bytes: 0, ..window.clone() });
    }

    /// Adds the totals of another job.
    pub fn merge(&mut self, other: &DirectionTotals) {
        self.ios = self.ios.saturating_add(other.ios);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.drained_ios = self.drained_ios.saturating_add(other.drained_ios);
        self.drained_bytes = self.drained_bytes.saturating_add(other.drained_bytes);
        self.short_ios = self.short_ios.saturating_add(other.short_ios);
        self.errors = self.errors.saturating_add(other.errors);
        self.total.merge(&other.total);
        self.completion.merge(&other.completion);
        self.submission.merge(&other.submission);
        self.response.merge(&other.response);
    }
}

/// fio's depth classes: depth at submission; I/Os per submit; I/Os per reap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DepthMaps {
    /// 1, 2, 4, 8, 16, 32, ≥64.
    pub depth: [u64; 7],
    /// 0, 4, 8, 16, 32, 64, >64.
    pub submit: [u64; 7],
    /// 0, 4, 8, 16, 32, 64, >64.
    pub complete: [u64; 7],
}

/// Everything that was counted for a job or a group.
#[derive(Clone, Debug, Default)]
pub struct JobTotals {
    /// By direction.
    pub directions: PerDirection<DirectionTotals>,
    /// The fsync family.
    pub sync: Latency,
    /// Depth classes.
    pub maps: DepthMaps,
}

impl JobTotals {
    /// Adds a measured window.
    pub fn add(&mut self, window: &Window) {
        for (direction, counts) in &window.directions {
            self.directions[*direction].add(counts);
        }
        self.sync.add(&window.sync);
        add_all(&mut self.maps.depth, &window.depth);
        add_all(&mut self.maps.submit, &window.submit);
        add_all(&mut self.maps.complete, &window.complete);
    }

    /// Adds the window of the drain: I/O that was in flight when the measured
    /// window ended, and syncs at the end of a job.
    pub fn add_drained(&mut self, window: &Window) {
        for (direction, counts) in &window.directions {
            self.directions[*direction].add_drained(counts);
        }
        self.sync.add(&window.sync);
        add_all(&mut self.maps.complete, &window.complete);
    }

    /// Adds the totals of another job.
    pub fn merge(&mut self, other: &JobTotals) {
        for (direction, totals) in other.directions.iter() {
            self.directions[direction].merge(totals);
        }
        self.sync.merge(&other.sync);
        add_all(&mut self.maps.depth, &other.maps.depth);
        add_all(&mut self.maps.submit, &other.maps.submit);
        add_all(&mut self.maps.complete, &other.maps.complete);
    }
}

fn add_all(into: &mut [u64; 7], from: &[u64; 7]) {
    for (a, b) in into.iter_mut().zip(from) {
        *a = a.saturating_add(*b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waited(ns: u64) -> DirectionWindow {
        let mut histogram = Histogram::new();
        histogram.record(ns);
        let latency = LatencyWindow { moments: *histogram.totals(), histogram: Some(histogram.sparse()) };
        DirectionWindow { ios: 1, response: latency, ..DirectionWindow::default() }
    }

    #[test]
    fn responses_add_up_over_windows_and_jobs() {
        let (mut one, mut other) = (DirectionTotals::default(), DirectionTotals::default());
        one.add(&waited(5));
        one.add(&waited(7));
        one.add(&DirectionWindow::default());
        other.add(&waited(90));
        one.merge(&other);
        let histogram = one.response.histogram.unwrap();
        assert_eq!((one.response.moments.sum(), histogram.count(), histogram.max()), (102, 3, Some(90)));
        assert!(one.total.histogram.is_none(), "and go nowhere else");
    }
}
