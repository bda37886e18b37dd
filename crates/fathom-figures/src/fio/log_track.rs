//! One direction of one job in a log: everything that its figures need, in memory that does not grow with its lines.

use super::lines_are::LinesAre;
use super::log_line::{FioLogLine, LineFault};
use super::log_name::FioLogKind;
use super::time_bins::TimeBins;
use fathom_stats::Histogram;

/// Lines by which it is decided what a line means.
const DECIDING_LINES: usize = 64;

/// A step in time that no job makes, ms: 30 days.
const JUMP_MS: u64 = 30 * 24 * 3_600_000;

/// A window is late if it is longer than this times the usual length: fio writes no line where nothing completed.
const LATE: f64 = 1.5;

/// The lines of one direction.
#[derive(Clone, Debug)]
pub struct LogTrack {
    kind: FioLogKind,
    /// The first lines, until it is decided what they mean.
    undecided: Vec<FioLogLine>,
    lines_are: Option<LinesAre>,
    pub(super) lines: u64,
    lines_back: u64,
    /// Where the first of its lines begins, ms: a line of a window tells its end.
    pub(super) begins_ms: f64,
    pub(super) last_ms: u64,
    /// Time that no window covers, ms.
    pub(super) silent_ms: f64,
    /// Of windows: ms, and sums of value and of its square times ms.
    pub(super) weight: f64,
    pub(super) sum: f64,
    pub(super) sum_squares: f64,
    pub(super) min: u64,
    pub(super) max: u64,
    /// Latencies, where each line is an I/O.
    pub(super) histogram: Histogram,
    pub(super) bins: TimeBins,
    /// Are there values other than 1?
    pub(super) has_values: bool,
}

impl LogTrack {
    pub(super) fn new(kind: FioLogKind, from_ms: u64) -> LogTrack {
        LogTrack {
            kind,
            undecided: Vec::new(),
            lines_are: None,
            lines: 0,
            lines_back: 0,
            begins_ms: from_ms as f64,
            last_ms: from_ms,
            silent_ms: 0.0,
            weight: 0.0,
            sum: 0.0,
            sum_squares: 0.0,
            min: u64::MAX,
            max: 0,
            histogram: Histogram::new(),
            bins: TimeBins::default(),
            has_values: false,
        }
    }

    /// What its lines mean.
    pub fn lines_are(&self) -> LinesAre {
        self.lines_are.unwrap_or(LinesAre::EachIo)
    }

    /// Its time line.
    pub fn bins(&self) -> &TimeBins {
        &self.bins
    }

    /// What its values are.
    pub fn kind(&self) -> FioLogKind {
        self.kind
    }

    /// How many lines have an earlier time than the line before them.
    pub fn lines_back(&self) -> u64 {
        self.lines_back
    }

    /// From where to where it measures, ms.
    pub fn span_ms(&self) -> (f64, f64) {
        (self.begins_ms, self.last_ms as f64)
    }

    #[inline]
    pub(super) fn add(&mut self, sample: FioLogLine) -> Result<(), LineFault> {
        if self.lines > 0 && sample.time_ms.abs_diff(self.last_ms) > JUMP_MS {
            return Err(LineFault::TimeJumps);
        }
        self.lines += 1;
        self.has_values |= sample.value != 1;
        match self.lines_are {
            Some(LinesAre::EachIo) => self.add_io(sample),
            Some(LinesAre::Windows { length_ms }) => self.add_window(sample, length_ms as f64),
            None => {
                self.undecided.push(sample);
                if self.undecided.len() == DECIDING_LINES {
                    self.decide();
                }
                self.last_ms = sample.time_ms.max(self.last_ms);
            }
        }
        Ok(())
    }

    /// The log has ended.
    pub(super) fn finish(&mut self) {
        if self.lines_are.is_none() {
            self.decide();
        }
    }

    #[cold]
    fn decide(&mut self) {
        let first = std::mem::take(&mut self.undecided);
        let lines_are = LinesAre::of(self.kind, &first);
        self.lines_are = Some(lines_are);
        self.last_ms = self.begins_ms as u64;
        match lines_are {
            LinesAre::EachIo => first.into_iter().for_each(|sample| self.add_io(sample)),
            LinesAre::Windows { length_ms } => {
                self.bins = TimeBins::with_step_of(length_ms);
                first.into_iter().for_each(|sample| self.add_window(sample, length_ms as f64));
            }
        }
    }

    #[inline]
    fn add_io(&mut self, sample: FioLogLine) {
        if sample.time_ms < self.last_ms {
            self.lines_back += 1;
        } else {
            self.last_ms = sample.time_ms;
        }
        if self.kind.is_latency() {
            self.histogram.record(sample.value);
        }
        self.bins.add_io(sample.time_ms, sample.value, sample.block_bytes);
    }

    fn add_window(&mut self, sample: FioLogLine, length_ms: f64) {
        let (time_ms, value) = (sample.time_ms as f64, sample.value as f64);
        let mut weight = time_ms - self.last_ms as f64;
        if sample.time_ms < self.last_ms {
            self.lines_back += 1;
            weight = 0.0;
        } else if weight > LATE * length_ms {
            match self.weight > 0.0 {
                true => self.silent_ms += weight - length_ms,
                // Before the first window there was a ramp, or nothing is known.
                false => self.begins_ms = time_ms - length_ms,
            }
            weight = length_ms;
        }
        self.weight += weight;
        self.sum += value * weight;
        self.sum_squares += value * value * weight;
        self.min = self.min.min(sample.value);
        self.max = self.max.max(sample.value);
        if weight > 0.0 {
            self.bins.add_window((time_ms - weight, time_ms), sample.value);
        }
        self.last_ms = self.last_ms.max(sample.time_ms);
    }
}
