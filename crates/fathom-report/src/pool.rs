//! One time line for several workers: their windows added second by second.
//!
//! Adding up each worker's slowest second, as fio does for a group, gives a
//! minimum that nobody observed. Here the workers' windows are laid on one grid
//! of seconds that begins with the measured window; a window that spans two
//! seconds is shared out in proportion. For one worker the grid is its windows.
//!
//! A worker that is stuck in one I/O reports those seconds as a separate, empty window. A long
//! window with counts is different: the results could not be taken in time, and the work went on;
//! it is shared out.

use fathom_job::direction::PerDirection;
use fathom_results::{JobResult, Phase, SeriesPoint};
use std::collections::BTreeMap;

/// Length of a cell: the windows that workers report are this long.
const SECOND_NS: u64 = 1_000_000_000;

/// Cells of a row: three days of seconds, some 25 MB.
const CELLS_MAX: u64 = 1 << 18;

/// Share of a cell that windows must cover for its rate to count as a sample:
/// a worker's last window is some microseconds short of its second.
const WHOLE: f64 = 0.95;

/// One second of a row; several seconds in a very long run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PooledSecond {
    /// First instant, ns since the start of the run.
    pub start_ns: u64,
    /// Length, ns: whole seconds.
    pub length_ns: u64,
    /// In the measured window; else ramp.
    pub measured: bool,
    /// The part of it that windows cover, ns.
    pub covered_ns: u64,
    /// The part of it in which no worker completed anything, as far as windows show it, ns.
    pub still_ns: u64,
    /// I/Os completed.
    pub ios: PerDirection<f64>,
    /// Bytes moved.
    pub bytes: PerDirection<f64>,
}

impl PooledSecond {
    /// Is enough of it covered for its rate to be a sample?
    pub fn is_whole(&self) -> bool {
        self.covered_ns as f64 >= WHOLE * self.length_ns as f64
    }

    /// Is a whole second of it without I/O, which its rate would hide?
    pub fn has_standstill(&self) -> bool {
        self.length_ns > SECOND_NS && self.still_ns as f64 >= WHOLE * SECOND_NS as f64
    }

    /// The covered part in seconds, never 0.
    pub fn covered_seconds(&self) -> f64 {
        self.covered_ns.max(1) as f64 / 1e9
    }

    fn add(&mut self, point: &SeriesPoint, share: f64) {
        for (direction, ios) in point.ios.iter() {
            self.ios[direction] += *ios as f64 * share;
            self.bytes[direction] += point.bytes[direction] as f64 * share;
        }
    }
}

/// Lays the windows of some workers on one grid.
pub fn pool(members: &[&JobResult]) -> Vec<PooledSecond> {
    let starts = members.iter().filter_map(|m| m.measured_from_ns());
    let begins = members.iter().filter_map(|m| m.series.first()).map(|p| p.start_ns).min();
    let Some(origin) = starts.min().or(begins) else {
        return Vec::new();
    };
    let mut grid = Grid { origin: origin as i64, step: step_ns(members) as i64, cells: BTreeMap::new() };
    members.iter().for_each(|member| grid.add(&member.series));
    grid.cells.into_values().collect()
}

/// Length of a cell: the longest point, in a power of two of seconds.
fn step_ns(members: &[&JobResult]) -> u64 {
    let points = || members.iter().flat_map(|member| &member.series);
    let windows = points().map(|point| u64::from(point.windows)).max().unwrap_or(1);
    let start_ns = points().map(|point| point.start_ns).min().unwrap_or(0);
    let end_ns = points().map(|point| point.end_ns).max().unwrap_or(0);
    let least = end_ns.saturating_sub(start_ns).div_ceil(CELLS_MAX * SECOND_NS);
    SECOND_NS * windows.max(least).max(1).next_power_of_two()
}

/// Cells by their place.
struct Grid {
    origin: i64,
    step: i64,
    cells: BTreeMap<i64, PooledSecond>,
}

/// What one worker's windows cover of a cell, and for how long it stood still.
#[derive(Clone, Copy, Default)]
struct Presence {
    covered_ns: u64,
    still_ns: u64,
}

impl Grid {
    /// Adds one worker.
    fn add(&mut self, series: &[SeriesPoint]) {
        let mut own = BTreeMap::new();
        series.iter().for_each(|point| self.spread_out(point, &mut own));
        // Workers overlap in time, so the cell is covered as far as the worker
        // with the most coverage, and still only where all of them were.
        for (at, Presence { covered_ns, still_ns }) in own {
            let cell = self.cells.entry(at).or_default();
            cell.still_ns = if cell.covered_ns == 0 { still_ns } else { cell.still_ns.min(still_ns) };
            cell.covered_ns = cell.covered_ns.max(covered_ns);
        }
    }

    fn spread_out(&mut self, point: &SeriesPoint, own: &mut BTreeMap<i64, Presence>) {
        let (start, end) = (point.start_ns as i64 - self.origin, point.end_ns as i64 - self.origin);
        // A ramp that reaches into another worker's measured window is not counted
        // there, and the measured window never reaches back into the ramp.
        let (start, end) = match point.phase {
            Phase::Ramp => (start, end.min(0)),
            _ => (start.max(0), end),
        };
        let length = end - start;
        if length <= 0 {
            return;
        }
        let is_still = point.ios.iter().all(|(_, ios)| *ios == 0);
        for index in start.div_euclid(self.step)..=(end - 1).div_euclid(self.step) {
            let low = start.max(index * self.step);
            let high = end.min((index + 1) * self.step);
            let cell = self.cells.entry(index).or_default();
            cell.start_ns = (self.origin + index * self.step).max(0) as u64;
            cell.length_ns = self.step as u64;
            cell.measured = index >= 0;
            cell.add(point, (high - low) as f64 / length as f64);
            let part: &mut Presence = own.entry(index).or_default();
            part.covered_ns += (high - low) as u64;
            part.still_ns += if is_still { (high - low) as u64 } else { 0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(start_ns: u64, end_ns: u64, ios: u64) -> SeriesPoint {
        SeriesPoint {
            phase: Phase::Measure,
            start_ns,
            end_ns,
            windows: 1,
            ios: PerDirection { read: ios, write: 0, trim: 0 },
            bytes: PerDirection { read: ios * 4096, write: 0, trim: 0 },
            latency_ns_mean: PerDirection::default(),
            latency_ns_p99: PerDirection::default(),
        }
    }

    fn cells(step: u64, points: &[SeriesPoint]) -> Vec<PooledSecond> {
        let mut grid = Grid { origin: 0, step: step as i64, cells: BTreeMap::new() };
        grid.add(points);
        assert!(grid.cells.values().all(|cell| cell.covered_ns == step), "{:?}", grid.cells);
        grid.cells.into_values().collect()
    }

    fn reads(points: &[SeriesPoint]) -> Vec<f64> {
        cells(SECOND_NS, points).iter().map(|cell| cell.ios.read).collect()
    }

    #[test]
    fn an_empty_window_is_a_stall_and_a_long_full_one_is_not() {
        let second = SECOND_NS;
        let windows = [
            point(0, second, 100),
            point(second, 3 * second, 0),
            point(3 * second, 4 * second, 60),
            point(4 * second, 6 * second, 200),
        ];
        assert_eq!(reads(&windows), [100.0, 0.0, 0.0, 60.0, 100.0, 100.0]);
    }

    #[test]
    fn a_window_somewhat_late_is_still_shared_out() {
        let tenth = SECOND_NS / 10;
        let windows = [point(0, 12 * tenth, 120), point(12 * tenth, 20 * tenth, 80)];
        assert_eq!(reads(&windows), [100.0, 100.0]);
    }

    #[test]
    fn merged_windows_make_long_cells_and_a_standstill_in_one_is_known() {
        let second = SECOND_NS;
        let windows = [
            SeriesPoint { windows: 4, ..point(0, 4 * second, 400) },
            point(4 * second, 5 * second, 0),
            SeriesPoint { windows: 3, ..point(5 * second, 8 * second, 300) },
        ];
        let long = cells(4 * second, &windows);
        assert_eq!(long.iter().map(|cell| cell.ios.read).collect::<Vec<_>>(), [400.0, 300.0]);
        assert_eq!(long.iter().map(PooledSecond::has_standstill).collect::<Vec<_>>(), [false, true]);
        let mut both = Grid { origin: 0, step: 4 * second as i64, cells: BTreeMap::new() };
        both.add(&windows);
        both.add(&[SeriesPoint { windows: 4, ..point(4 * second, 8 * second, 1) }]);
        assert!(!both.cells[&1].has_standstill(), "another worker went on");
    }
}
