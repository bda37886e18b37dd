//! The time line of one direction of a log: the values of its steps.

use super::lines_are::LinesAre;
use super::log_name::FioLogKind;
use super::log_track::LogTrack;
use super::time_bins::TimeBin;

/// A last step that is covered less than this is not a sample.
const WHOLE: f64 = 0.95;

/// A value of a time line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatePoint {
    /// Start, s.
    pub start: f64,
    /// Length, s.
    pub length: f64,
    /// In the unit of the kind.
    pub value: f64,
    /// Smallest and largest line of the step, where lines have a value of their own.
    pub range: Option<(f64, f64)>,
}

impl RatePoint {
    /// Smallest and largest line of the step, or its value where lines have none of their own.
    pub fn extremes(&self) -> (f64, f64) {
        self.range.unwrap_or((self.value, self.value))
    }
}

/// A step of a time line, and how much of it the log covers.
pub(super) struct TimeStep {
    pub(super) point: RatePoint,
    /// The part of it from the begin to the end of the log, s.
    pub(super) covered: f64,
    /// Whether the log does not end in the middle of it.
    pub(super) is_whole: bool,
}

impl LogTrack {
    /// The time line.
    pub fn points(&self) -> Vec<RatePoint> {
        self.points_with(self.bins().shift())
    }

    /// The time line in steps of 2^shift ticks.
    pub(super) fn points_with(&self, shift: u32) -> Vec<RatePoint> {
        self.whole_steps(shift).into_iter().map(|step| step.point).collect()
    }

    /// The steps of 2^shift ticks without a last one that is cut, which would be a dip that nobody measured.
    pub(super) fn whole_steps(&self, shift: u32) -> Vec<TimeStep> {
        let mut steps = self.steps(shift);
        if steps.iter().any(|step| step.is_whole) {
            steps.retain(|step| step.is_whole);
        }
        steps
    }

    /// All steps of 2^shift ticks.
    pub(super) fn steps(&self, shift: u32) -> Vec<TimeStep> {
        let bins = self.bins().coarser(shift);
        let step_ms = bins.step_ms();
        let (begin, end) = self.span_ms();
        let step = |(start, bin): (f64, &TimeBin)| {
            let covered = (end.min(start + step_ms) - begin.max(start)) / 1e3;
            let has_range = bin.weight > 0.0 && (self.kind().is_latency() || !self.is_each_io());
            let point = RatePoint {
                start: start / 1e3,
                length: step_ms / 1e3,
                value: self.value(bin, covered)?,
                range: has_range.then(|| (self.scaled(bin.min as f64), self.scaled(bin.max as f64))),
            };
            Some(TimeStep { point, covered, is_whole: end - start >= WHOLE * step_ms })
        };
        bins.iter().filter_map(step).collect()
    }

    fn is_each_io(&self) -> bool {
        !matches!(self.lines_are(), LinesAre::Windows { .. })
    }

    /// The value of a step of which so many seconds are covered.
    fn value(&self, bin: &TimeBin, covered: f64) -> Option<f64> {
        match (self.kind(), self.is_each_io()) {
            (kind, _) if kind.is_latency() => bin.mean(),
            (FioLogKind::Bandwidth, true) => (covered > 0.0).then(|| bin.bytes as f64 / covered),
            (_, true) => (covered > 0.0).then(|| bin.weight / covered),
            // Milliseconds without a window have the rate 0.
            (_, false) => Some(self.scaled(bin.sum / (covered * 1e3).max(bin.weight).max(f64::MIN_POSITIVE))),
        }
    }
}
