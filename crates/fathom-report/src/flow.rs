//! A flow: one direction of a row, or the sum of all, with its rates.

use crate::asked::Unified;
use crate::group::Row;
use crate::number::ratio;
use crate::pool::PooledSecond;
use crate::spread::RateSpread;
use fathom_job::direction::Direction;
use fathom_results::{DirectionTotals, Latency};
use fathom_stats::Estimate;
use std::borrow::Cow;

/// Totals and rates of one direction (or of the mix) of a row.
#[derive(Clone, Debug)]
pub struct DirectionFigures<'a> {
    /// `read`, `write`, `trim` or `mixed`.
    pub name: &'static str,
    /// What was counted.
    pub totals: Cow<'a, DirectionTotals>,
    pub(crate) row: &'a Row<'a>,
    directions: Vec<Direction>,
}

impl<'a> DirectionFigures<'a> {
    pub(crate) fn of(
        row: &'a Row<'a>,
        name: &'static str,
        directions: Vec<Direction>,
        totals: Cow<'a, DirectionTotals>,
    ) -> Self {
        DirectionFigures { name, totals, row, directions }
    }

    /// Length of the measured window, ns; 0 for a direction without I/O, as in fio.
    pub fn runtime_ns(&self) -> u64 {
        if self.totals.ios == 0 { 0 } else { self.row.runtime_ns() }
    }

    /// The same in whole milliseconds, at least 1 where there was I/O.
    pub fn runtime_ms(&self) -> u64 {
        match self.runtime_ns() {
            0 => 0,
            ns => ((ns + 500_000) / 1_000_000).max(1),
        }
    }

    /// I/Os per second over the measured window.
    pub fn iops(&self) -> f64 {
        ratio(self.totals.ios as f64 * 1e9, self.runtime_ns() as f64)
    }

    /// Bytes per second over the measured window.
    pub fn bytes_per_second(&self) -> f64 {
        ratio(self.totals.bytes as f64 * 1e9, self.runtime_ns() as f64)
    }

    /// I/Os per second of each whole window.
    pub fn iops_series(&self) -> Vec<f64> {
        self.series(|cell| self.ios_in(cell))
    }

    /// Bytes per second of each whole window.
    pub fn bandwidth_series(&self) -> Vec<f64> {
        self.series(|cell| self.bytes_in(cell))
    }

    /// I/Os of this flow in a cell.
    pub fn ios_in(&self, cell: &PooledSecond) -> f64 {
        self.directions.iter().map(|d| cell.ios[*d]).sum()
    }

    /// Bytes of this flow in a cell.
    pub fn bytes_in(&self, cell: &PooledSecond) -> f64 {
        self.directions.iter().map(|d| cell.bytes[*d]).sum()
    }

    /// IOPS as the mean of its windows with a 95 % interval; `None` when there
    /// are too few windows for one, or clones measured at different times.
    pub fn iops_estimate(&self) -> Option<Estimate> {
        if self.row.is_staggered() {
            return None;
        }
        Estimate::of_series(&self.iops_series(), 0.95)
    }

    /// Why there is no interval, where there is none.
    pub fn why_no_interval(&self) -> &'static str {
        if self.row.is_staggered() { "apart in time" } else { "too few" }
    }

    /// Length of these windows, s: 1, except in very long runs.
    pub fn window_seconds(&self) -> u64 {
        self.row.window_seconds()
    }

    /// How IOPS varied over the windows.
    pub fn iops_spread(&self) -> RateSpread {
        self.spread(self.iops_series())
    }

    /// How bandwidth varied over the windows, KiB/s.
    pub fn bandwidth_spread_kib(&self) -> RateSpread {
        self.spread(self.bandwidth_series()).scaled(1.0 / 1024.0)
    }

    /// I/Os in flight on average: IOPS × mean latency (Little's law). `None`
    /// where total latency was not kept.
    pub fn in_flight(&self) -> Option<f64> {
        Some(self.iops() * self.totals.total.moments.mean()? / 1e9)
    }

    /// Latency from the intended start; `None` where nothing was paced.
    pub fn response(&self) -> Option<&Latency> {
        Some(&self.totals.response).filter(|latency| latency.moments.count() > 0)
    }

    /// The main latencies that have a distribution. For paced I/O these are what a user waits
    /// (response) and the target's part of it (service); for other I/O it is one, completion where
    /// it was kept.
    pub fn main_latencies(&self) -> Vec<(&'static str, &Latency)> {
        let totals = &self.totals;
        let (completion, response) = (&totals.completion, &totals.response);
        // Clones with and without a rate may share a row: a latency that only some of its I/Os have
        // is not a main one.
        let is_paced = response.moments.count() >= totals.ios;
        let choices = match is_paced && is_kept(response) {
            true => [Some(("response", response)), Some(("service (lat)", &totals.total))],
            false if is_kept(completion) => [Some(("completion", completion)), None],
            false => [Some(("total", &totals.total)), None],
        };
        choices.into_iter().flatten().filter(|(_, latency)| is_kept(latency)).collect()
    }

    /// The first of the main latencies.
    pub fn main_latency(&self) -> Option<(&'static str, &Latency)> {
        self.main_latencies().into_iter().next()
    }

    fn spread(&self, rates: Vec<f64>) -> RateSpread {
        if self.totals.ios == 0 || !self.row.asked.samples {
            return RateSpread::default();
        }
        let spread = RateSpread::of(&rates);
        // In long cells a standstill is only part of a sample.
        if self.measured_cells().any(PooledSecond::has_standstill) {
            RateSpread { min: 0.0, ..spread }
        } else {
            spread
        }
    }

    fn series(&self, count: impl Fn(&PooledSecond) -> f64) -> Vec<f64> {
        self.measured_cells().map(|cell| count(cell) / cell.covered_seconds()).collect()
    }

    /// The samples: whole cells of the measured window.
    fn measured_cells(&self) -> impl Iterator<Item = &PooledSecond> {
        self.row.cells.iter().filter(|cell| cell.measured && cell.is_whole())
    }
}

fn is_kept(latency: &Latency) -> bool {
    latency.histogram.as_ref().is_some_and(|h| !h.is_empty())
}

impl Row<'_> {
    /// One direction.
    pub fn flow(&self, direction: Direction) -> DirectionFigures<'_> {
        DirectionFigures::of(
            self,
            direction.name(),
            vec![direction],
            Cow::Borrowed(&self.totals.directions[direction]),
        )
    }

    /// All directions as one.
    pub fn mixed(&self) -> DirectionFigures<'_> {
        let mut totals = DirectionTotals::default();
        for (_, direction) in self.totals.directions.iter() {
            totals.merge(direction);
        }
        DirectionFigures::of(self, "mixed", Direction::ALL.to_vec(), Cow::Owned(totals))
    }

    /// The directions that fio reports by themselves; none when they are mixed.
    pub fn flows_apart(&self) -> Vec<DirectionFigures<'_>> {
        match self.asked.unified {
            Unified::Mixed => Vec::new(),
            Unified::Apart | Unified::Both => Direction::ALL.into_iter().map(|d| self.flow(d)).collect(),
        }
    }

    /// The sum of all directions, where the job asks for it.
    pub fn flow_mixed(&self) -> Option<DirectionFigures<'_>> {
        (self.asked.unified != Unified::Apart).then(|| self.mixed())
    }

    /// The busy directions, or the mix where only that is reported: what a
    /// chart draws.
    pub fn flows_apart_or_mixed(&self) -> Vec<DirectionFigures<'_>> {
        let mut flows = self.flows_busy();
        flows.retain(|flow| self.asked.unified == Unified::Mixed || flow.name != "mixed");
        flows
    }

    /// Every direction block of this row in which something happened.
    pub fn flows_busy(&self) -> Vec<DirectionFigures<'_>> {
        let all = self.flows_apart().into_iter().chain(self.flow_mixed());
        all.filter(|flow| flow.totals.ios > 0).collect()
    }
}
