//! One time line for several workers: their windows added second by second.
//!
//! Adding up each worker's slowest second, as fio does for a group, gives a
//! minimum that nobody observed. Here the workers' windows are laid on one grid
//! of seconds that begins with the measured window; a window that spans two
//! seconds is shared out in proportion. For one worker the grid is its windows.
//!
//! A worker that is stuck in one I/O reports those seconds as a window of its
//! own, with nothing in it. A long window that has counts is another thing: the
//! results could not be taken in time, and the work went on; it is shared out.

use fathom_job::direction::PerDirection;
use fathom_results::{JobResult, Phase, SeriesPoint};
use std::collections::BTreeMap;

/// Length of a cell: the windows that workers report are this long.
const STEP_NS: i64 = 1_000_000_000;

/// Share of a cell that windows must cover for its rate to count as a sample:
/// a worker's last window is some microseconds short of its second.
const WHOLE: f64 = 0.95;

/// One second of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// First instant, ns since the start of the run.
    pub start_ns: u64,
    /// In the measured window; else ramp.
    pub measured: bool,
    /// The part of it that windows cover, ns.
    pub covered_ns: u64,
    /// I/Os completed.
    pub ios: PerDirection<f64>,
    /// Bytes moved.
    pub bytes: PerDirection<f64>,
}

impl Cell {
    /// Is enough of it covered for its rate to be a sample?
    pub fn is_whole(&self) -> bool {
        self.covered_ns as f64 >= WHOLE * STEP_NS as f64
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
pub fn pool(members: &[&JobResult]) -> Vec<Cell> {
    let starts = members.iter().filter_map(|m| m.measured_from_ns());
    let begins = members.iter().filter_map(|m| m.series.first()).map(|p| p.start_ns).min();
    let Some(origin) = starts.min().or(begins) else {
        return Vec::new();
    };
    let mut cells = BTreeMap::new();
    for member in members {
        let mut own = BTreeMap::new();
        for point in &member.series {
            spread_out(point, origin as i64, &mut cells, &mut own);
        }
        // Workers overlap in time, so the cell is covered as far as the most
        // present of them covers it.
        for (at, covered) in own {
            let cell: &mut Cell = cells.entry(at).or_default();
            cell.covered_ns = cell.covered_ns.max(covered);
        }
    }
    cells.into_values().collect()
}

fn spread_out(
    point: &SeriesPoint,
    origin: i64,
    cells: &mut BTreeMap<i64, Cell>,
    own: &mut BTreeMap<i64, u64>,
) {
    let (start, end) = (point.start_ns as i64 - origin, point.end_ns as i64 - origin);
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
    for index in start.div_euclid(STEP_NS)..=(end - 1).div_euclid(STEP_NS) {
        let low = start.max(index * STEP_NS);
        let high = end.min((index + 1) * STEP_NS);
        let cell = cells.entry(index).or_default();
        cell.start_ns = (origin + index * STEP_NS).max(0) as u64;
        cell.measured = index >= 0;
        cell.add(point, (high - low) as f64 / length as f64);
        *own.entry(index).or_default() += (high - low) as u64;
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

    fn reads(points: &[SeriesPoint]) -> Vec<f64> {
        let (mut cells, mut own) = (BTreeMap::new(), BTreeMap::new());
        points.iter().for_each(|p| spread_out(p, 0, &mut cells, &mut own));
        assert!(own.values().all(|covered| *covered == STEP_NS as u64), "{own:?}");
        cells.values().map(|cell: &Cell| cell.ios.read).collect()
    }

    #[test]
    fn an_empty_window_is_a_stall_and_a_long_full_one_is_not() {
        let second = STEP_NS as u64;
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
        let tenth = STEP_NS as u64 / 10;
        let windows = [point(0, 12 * tenth, 120), point(12 * tenth, 20 * tenth, 80)];
        assert_eq!(reads(&windows), [100.0, 100.0]);
    }
}
