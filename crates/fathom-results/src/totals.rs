//! Totals of a job or of a group of jobs: windows added up.
//!
//! Histograms are merged, never averaged; a group's totals are those of all
//! its I/Os, as if one worker had made them.

use crate::latency_window::LatencyWindow;
use crate::main_latency::MainLatency;
use crate::window::{DirectionWindow, PriorityWindow, Window};
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
        self.add_without(window, false);
    }

    fn add_without(&mut self, window: &LatencyWindow, distribution_later: bool) {
        self.moments.merge(&window.moments);
        if let Some(sparse) = window.histogram.as_ref().filter(|_| !distribution_later) {
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

/// The latency of the I/Os of one priority over a whole run: of the whole I/O, or of its completion.
#[derive(Clone, Debug, Default)]
pub struct PriorityLatency {
    /// The priority, as ioprio_set(2) encodes it.
    pub ioprio: u16,
    /// Their latency.
    pub latency: Latency,
}

impl PriorityLatency {
    /// The latency of a priority in a list, to which it is added where it is not in it.
    pub fn among(all: &mut Vec<PriorityLatency>, ioprio: u16) -> &mut Latency {
        let place = all.iter().position(|one| one.ioprio == ioprio).unwrap_or(all.len());
        if place == all.len() {
            all.push(PriorityLatency { ioprio, ..PriorityLatency::default() });
        }
        &mut all[place].latency
    }
}

/// I/Os that completed after the measured window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drained {
    /// How many.
    pub ios: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Descriptor taken → completion seen, ns; of the submit call where only that was kept.
    pub latency: Moments,
}

impl Drained {
    fn add(&mut self, window: &DirectionWindow) {
        let total = &window.total.moments;
        let latency = if total.count() > 0 { total } else { &window.completion.moments };
        self.merge(&Drained { ios: window.ios, bytes: window.bytes, latency: *latency });
    }

    fn merge(&mut self, other: &Drained) {
        self.ios = self.ios.saturating_add(other.ios);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.latency.merge(&other.latency);
    }
}

/// One direction over the measured window.
#[derive(Clone, Debug, Default)]
pub struct DirectionTotals {
    /// I/Os completed in the measured window.
    pub ios: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// I/Os that were in flight when the measured window ended; they are in no other figure.
    pub drained: Drained,
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
    /// The latencies of each priority, where I/Os of the job have several.
    pub priorities: Vec<PriorityLatency>,
}

impl DirectionTotals {
    fn add(&mut self, window: &DirectionWindow) {
        self.add_without(window, None);
    }

    /// Adds a window without the distribution of one latency, which is added later.
    fn add_without(&mut self, window: &DirectionWindow, later: Option<MainLatency>) {
        self.ios = self.ios.saturating_add(window.ios);
        // Trims of exbibytes reach the end of 64 bits.
        self.bytes = self.bytes.saturating_add(window.bytes);
        self.short_ios = self.short_ios.saturating_add(window.short_ios);
        self.errors = self.errors.saturating_add(window.errors);
        self.total.add_without(&window.total, later == Some(MainLatency::Total));
        self.completion.add_without(&window.completion, later == Some(MainLatency::Completion));
        self.submission.add(&window.submission);
        self.response.add_without(&window.response, later == Some(MainLatency::Response));
        for PriorityWindow { ioprio, latency } in &window.priorities {
            PriorityLatency::among(&mut self.priorities, *ioprio).add(latency);
        }
    }

    pub(crate) fn main_mut(&mut self, kind: MainLatency) -> &mut Latency {
        match kind {
            MainLatency::Response => &mut self.response,
            MainLatency::Completion => &mut self.completion,
            MainLatency::Total => &mut self.total,
        }
    }

    /// Adds what completed after the measured window. It counts apart, so that the number of I/Os, the number of
    /// latencies and the lines of a log are one number; a failure counts whenever it happens.
    fn add_drained(&mut self, window: &DirectionWindow) {
        self.drained.add(window);
        self.errors = self.errors.saturating_add(window.errors);
    }

    /// The slowest I/O, ns, also if it completed after the measured window. `None` where no latency was kept.
    pub fn slowest_ns(&self) -> Option<u64> {
        self.total.moments.max().max(self.drained.latency.max())
    }

    /// Adds the totals of another job.
    pub fn merge(&mut self, other: &DirectionTotals) {
        self.ios = self.ios.saturating_add(other.ios);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.drained.merge(&other.drained);
        self.short_ios = self.short_ios.saturating_add(other.short_ios);
        self.errors = self.errors.saturating_add(other.errors);
        self.total.merge(&other.total);
        self.completion.merge(&other.completion);
        self.submission.merge(&other.submission);
        self.response.merge(&other.response);
        for PriorityLatency { ioprio, latency } in &other.priorities {
            PriorityLatency::among(&mut self.priorities, *ioprio).merge(latency);
        }
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
        window.directions.iter().for_each(|(direction, counts)| self.directions[*direction].add(counts));
        self.add_rest(window);
    }

    /// Adds a measured window without the distributions that
    /// [`LatencyLine`](crate::LatencyLine) adds later.
    pub(crate) fn add_but_main(&mut self, window: &Window) {
        for (direction, counts) in &window.directions {
            self.directions[*direction].add_without(counts, MainLatency::of(counts));
        }
        self.add_rest(window);
    }

    fn add_rest(&mut self, window: &Window) {
        self.sync.add(&window.sync);
        add_all(&mut self.maps.depth, &window.depth);
        add_all(&mut self.maps.submit, &window.submit);
        add_all(&mut self.maps.complete, &window.complete);
    }

    /// Adds the window of the drain: I/O that was in flight when the measured
    /// window ended, which counts apart, and syncs at the end of a job.
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
