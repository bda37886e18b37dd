//! One time line for several workers: their windows added step by step.
//!
//! Adding up each worker's slowest second, as fio does for a group, gives a
//! minimum that nobody observed. Here the workers' windows are laid on one grid
//! of seconds that begins with the measured window; a window that spans two
//! seconds is shared out in proportion. For one worker the grid is its windows.
//! In very long runs, whose windows are merged, a step is several seconds.
//!
//! A worker that is stuck in one I/O reports those seconds as a separate, empty window. A long
//! window with counts is different: the results could not be taken in time, and the work went on;
//! it is shared out.

use fathom_job::direction::PerDirection;
use fathom_results::{JobResult, Phase, SeriesPoint};
use fathom_stats::Series;
use std::collections::BTreeMap;

/// Length of the windows that workers report.
const SECOND_NS: u64 = 1_000_000_000;

/// Steps of a row: three days of seconds, some 25 MB.
const STEPS_MAX: u64 = 1 << 18;

/// Share of a step that windows must cover for its rate to count as a sample:
/// a worker's last window is some microseconds short of its second.
const WHOLE: f64 = 0.95;

/// The time line of a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// Length of a step, ns: whole seconds.
    pub step_ns: u64,
    /// The steps in which a window lies, in order.
    pub steps: Vec<GridStep>,
}

/// One step of the grid: a second, or several in a very long run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GridStep {
    /// First instant, ns since the start of the run.
    pub start_ns: u64,
    /// Length, ns: whole seconds.
    pub length_ns: u64,
    /// In the measured window; else ramp.
    pub measured: bool,
    /// The part of it that windows cover, ns.
    pub covered_ns: u64,
    /// How many workers' windows cover enough of it for a sample.
    pub workers: u32,
    /// The part of it in which no worker completed anything, as far as windows show it, ns.
    pub still_ns: u64,
    /// I/Os completed.
    pub ios: PerDirection<f64>,
    /// Bytes moved.
    pub bytes: PerDirection<f64>,
    /// Total latencies of its I/Os added up, ns.
    pub latency_ns: PerDirection<f64>,
    /// 99th percentile of latency, ns, where a distribution was kept: of several workers or windows the largest.
    pub latency_ns_p99: PerDirection<Option<u64>>,
}

impl Grid {
    /// Lays the windows of some workers on one grid.
    pub fn of(members: &[JobResult]) -> Self {
        let step_ns = step_ns(members);
        let starts = members.iter().filter_map(JobResult::measured_from_ns);
        let begins = members.iter().filter_map(|m| m.series.first()).map(|p| p.start_ns).min();
        let Some(origin) = starts.min().or(begins) else {
            return Grid { step_ns, steps: Vec::new() };
        };
        let mut sums = Sums { origin: origin as i64, step: step_ns as i64, steps: BTreeMap::new() };
        members.iter().for_each(|member| sums.add(&member.series));
        Grid { step_ns, steps: sums.steps.into_values().collect() }
    }

    /// Length of a step in seconds.
    pub fn step_seconds(&self) -> u64 {
        self.step_ns / SECOND_NS
    }

    /// The samples: whole steps of the measured window.
    pub fn samples(&self) -> impl Iterator<Item = &GridStep> {
        self.steps.iter().filter(|step| step.measured && step.is_whole())
    }

    /// An amount per second in each of the wanted samples.
    pub fn series(&self, wanted: impl Fn(&GridStep) -> bool, amount: impl Fn(&GridStep) -> f64) -> Series {
        let samples = || self.samples().filter(|step| wanted(step));
        let values = samples().map(|step| amount(step) / step.covered_seconds()).collect();
        let start_ns = samples().next().map_or(0, |step| step.start_ns);
        Series { start_ns, step_ns: self.step_ns, values }
    }
}

impl GridStep {
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

    /// I/Os of all directions.
    pub fn all_ios(&self) -> f64 {
        self.ios.iter().map(|(_, ios)| ios).sum()
    }

    fn add(&mut self, point: &SeriesPoint, share: f64) {
        for (direction, ios) in point.ios.iter() {
            self.ios[direction] += *ios as f64 * share;
            self.bytes[direction] += point.bytes[direction] as f64 * share;
            self.latency_ns[direction] += point.latency_ns_mean[direction] * *ios as f64 * share;
        }
    }

    /// A percentile cannot be shared out: it is that of the steps which hold most of the window, or which it fills.
    fn add_percentiles(&mut self, point: &SeriesPoint) {
        for (direction, p99) in point.latency_ns_p99.iter() {
            self.latency_ns_p99[direction] = self.latency_ns_p99[direction].max(*p99);
        }
    }
}

/// Length of a step: the longest point, in a power of two of seconds.
fn step_ns(members: &[JobResult]) -> u64 {
    let points = || members.iter().flat_map(|member| &member.series);
    let windows = points().map(|point| u64::from(point.windows)).max().unwrap_or(1);
    let start_ns = points().map(|point| point.start_ns).min().unwrap_or(0);
    let end_ns = points().map(|point| point.end_ns).max().unwrap_or(0);
    let least = end_ns.saturating_sub(start_ns).div_ceil(STEPS_MAX * SECOND_NS);
    SECOND_NS * windows.max(least).max(1).next_power_of_two()
}

/// Steps by their place.
struct Sums {
    origin: i64,
    step: i64,
    steps: BTreeMap<i64, GridStep>,
}

/// What one worker's windows cover of a step, and for how long it stood still.
#[derive(Clone, Copy, Default)]
struct Presence {
    covered_ns: u64,
    still_ns: u64,
}

impl Sums {
    /// Adds one worker.
    fn add(&mut self, series: &[SeriesPoint]) {
        let mut own = BTreeMap::new();
        series.iter().for_each(|point| self.spread_out(point, &mut own));
        // Workers overlap in time, so the step is covered as far as the worker
        // with the most coverage, and still only where all of them were.
        for (at, Presence { covered_ns, still_ns }) in own {
            let step = self.steps.entry(at).or_default();
            step.still_ns = if step.covered_ns == 0 { still_ns } else { step.still_ns.min(still_ns) };
            step.covered_ns = step.covered_ns.max(covered_ns);
            step.workers += u32::from(covered_ns as f64 >= WHOLE * step.length_ns as f64);
        }
    }

    fn spread_out(&mut self, point: &SeriesPoint, own: &mut BTreeMap<i64, Presence>) {
        let (start, end) = (point.start_ns as i64 - self.origin, point.end_ns as i64 - self.origin);
        // A ramp that reaches into another worker's measured window is not counted
        // there, and the measured window never reaches back into the ramp.
        let (start, end, length) = match point.phase {
            Phase::Ramp => (start, end.min(0), end - start),
            _ => (start.max(0), end, end - start.max(0)),
        };
        if end <= start {
            return;
        }
        let is_still = point.ios.iter().all(|(_, ios)| *ios == 0);
        for index in start.div_euclid(self.step)..=(end - 1).div_euclid(self.step) {
            let low = start.max(index * self.step);
            let high = end.min((index + 1) * self.step);
            let step = self.steps.entry(index).or_default();
            step.start_ns = (self.origin + index * self.step).max(0) as u64;
            step.length_ns = self.step as u64;
            step.measured = index >= 0;
            step.add(point, (high - low) as f64 / length as f64);
            if 2 * (high - low) >= length.min(self.step) {
                step.add_percentiles(point);
            }
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

    fn steps(step: u64, points: &[SeriesPoint]) -> Vec<GridStep> {
        let mut sums = Sums { origin: 0, step: step as i64, steps: BTreeMap::new() };
        sums.add(points);
        assert!(sums.steps.values().all(|one| one.covered_ns == step), "{:?}", sums.steps);
        sums.steps.into_values().collect()
    }

    fn reads(points: &[SeriesPoint]) -> Vec<f64> {
        steps(SECOND_NS, points).iter().map(|step| step.ios.read).collect()
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
    fn a_ramp_beside_another_workers_measured_window_is_cut_in_proportion() {
        let second = SECOND_NS as i64;
        let mut sums = Sums { origin: second / 2, step: second, steps: BTreeMap::new() };
        sums.add(&[SeriesPoint { phase: Phase::Ramp, ..point(0, SECOND_NS, 100) }]);
        let seen: Vec<_> = sums.steps.values().map(|step| (step.measured, step.ios.read)).collect();
        assert_eq!(seen, [(false, 50.0)]);
    }

    #[test]
    fn merged_windows_make_long_steps_and_a_standstill_in_one_is_known() {
        let second = SECOND_NS;
        let windows = [
            SeriesPoint { windows: 4, ..point(0, 4 * second, 400) },
            point(4 * second, 5 * second, 0),
            SeriesPoint { windows: 3, ..point(5 * second, 8 * second, 300) },
        ];
        let long = steps(4 * second, &windows);
        assert_eq!(long.iter().map(|step| step.ios.read).collect::<Vec<_>>(), [400.0, 300.0]);
        assert_eq!(long.iter().map(GridStep::has_standstill).collect::<Vec<_>>(), [false, true]);
        let mut both = Sums { origin: 0, step: 4 * second as i64, steps: BTreeMap::new() };
        both.add(&windows);
        both.add(&[SeriesPoint { windows: 4, ..point(4 * second, 8 * second, 1) }]);
        assert!(!both.steps[&1].has_standstill(), "another worker went on");
    }
}
