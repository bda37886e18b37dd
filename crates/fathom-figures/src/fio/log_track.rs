//! One direction of one job in a log: everything that its figures need, in memory that does not grow with its lines.

use super::lines_are::LinesAre;
use super::log_line::{FioLogLine, LineFault};
use super::log_name::FioLogKind;
use super::time_bins::TimeBins;
use fathom_stats::Histogram;
use std::ops::Range;

/// Lines by which it is decided what a line means.
const DECIDING_LINES: usize = 64;

/// A step in time that no job makes, ms: 30 days.
const JUMP_MS: u64 = 30 * 24 * 3_600_000;

/// A window is late if it is longer than this times the usual length: fio writes no line where nothing completed.
const LATE: f64 = 1.5;

/// Lines between two that count, of which it is kept that they cannot be read.
const UNREAD_MAX: usize = 1 << 16;

/// The lines of one direction.
#[derive(Clone, Debug)]
pub struct LogTrack {
    kind: FioLogKind,
    /// Only what lies in this time counts, ms.
    within: Range<u64>,
    /// When the job began, ms of the log's time.
    opens_ms: u64,
    /// The first lines, until it is decided what they mean.
    undecided: Vec<FioLogLine>,
    lines_are: Option<LinesAre>,
    /// Times of lines that cannot be read and may lie behind the latest line, ms.
    unread_ms: Vec<u64>,
    /// Time of the latest line, whether it counts or not, ms.
    seen_ms: Option<u64>,
    /// Lines that count.
    pub(super) lines: u64,
    outside: u64,
    lines_back: u64,
    lines_repeated: u64,
    zeros: TrailingZeros,
    /// Where the first of its lines begins, ms: a line of a window tells its end.
    pub(super) begins_ms: f64,
    pub(super) last_ms: u64,
    /// Time that no window covers, ms.
    pub(super) silent_ms: f64,
    /// Of windows: the sums of ms, of ms², of value times ms, and of the square of the value times ms.
    pub(super) weight: f64,
    pub(super) weight_squares: f64,
    pub(super) sum: f64,
    pub(super) sum_squares: f64,
    pub(super) min: u64,
    pub(super) max: u64,
    /// The most I/Os of one line, where lines are histograms.
    pub(super) most_in_line: u64,
    /// Latencies, where each line is an I/O.
    pub(super) histogram: Histogram,
    pub(super) bins: TimeBins,
    /// Are there values other than 1?
    pub(super) has_values: bool,
}

/// Lines with the value 0 at the end of a log of rates: the job had ended, or nothing completed any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrailingZeros {
    /// How many lines.
    pub lines: u64,
    /// Where they begin: the time of the last line with another value, ms.
    pub from_ms: u64,
}

impl LogTrack {
    /// A direction of a job that began at this time of the log; only what lies within a time counts, ms.
    pub(super) fn new(kind: FioLogKind, opens_ms: u64, within: Range<u64>) -> LogTrack {
        let begins_ms = opens_ms.max(within.start);
        LogTrack {
            kind,
            within,
            opens_ms,
            undecided: Vec::new(),
            lines_are: None,
            unread_ms: Vec::new(),
            seen_ms: None,
            lines: 0,
            outside: 0,
            lines_back: 0,
            lines_repeated: 0,
            zeros: TrailingZeros::default(),
            begins_ms: begins_ms as f64,
            last_ms: begins_ms,
            silent_ms: 0.0,
            weight: 0.0,
            weight_squares: 0.0,
            sum: 0.0,
            sum_squares: 0.0,
            min: u64::MAX,
            max: 0,
            most_in_line: 0,
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

    /// Makes the steps of its time line twice as long.
    pub fn coarsen(&mut self) {
        self.bins.coarsen();
    }

    /// What its values are.
    pub fn kind(&self) -> FioLogKind {
        self.kind
    }

    /// How many lines have an earlier time than a line before them.
    pub fn lines_back(&self) -> u64 {
        self.lines_back
    }

    /// How many lines of windows have the time of the line before them, so that they cover no time.
    pub fn lines_repeated(&self) -> u64 {
        self.lines_repeated
    }

    /// How many lines lie outside of the time that counts.
    pub fn outside(&self) -> u64 {
        self.outside
    }

    /// Lines of zeros at the end; none where all lines are zeros, or where the values are latencies.
    pub fn trailing_zeros(&self) -> TrailingZeros {
        let is_some = !self.kind.is_latency() && self.zeros.lines > 0 && self.zeros.lines < self.lines;
        if is_some { self.zeros } else { TrailingZeros::default() }
    }

    /// From where to where it measures, ms.
    pub fn span_ms(&self) -> (f64, f64) {
        (self.begins_ms, self.last_ms as f64)
    }

    #[inline]
    pub(super) fn add(&mut self, sample: FioLogLine) -> Result<(), LineFault> {
        if self.seen_ms.is_some_and(|seen| sample.time_ms.abs_diff(seen) > JUMP_MS) {
            return Err(LineFault::TimeJumps);
        }
        match self.lines_are {
            Some(LinesAre::EachIo) => self.add_io(sample),
            Some(LinesAre::Windows { length_ms }) => self.add_window(sample, length_ms as f64),
            Some(LinesAre::Histograms { .. }) => {}
            None => {
                self.undecided.push(sample);
                self.seen_ms = Some(sample.time_ms.max(self.seen_ms.unwrap_or(0)));
                if self.undecided.len() == DECIDING_LINES {
                    self.decide();
                }
            }
        }
        Ok(())
    }

    /// A line of this time cannot be read.
    pub(super) fn unread(&mut self, time_ms: u64) {
        if self.unread_ms.len() < UNREAD_MAX {
            self.unread_ms.push(time_ms);
        }
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
        let lines_are = LinesAre::of(self.kind, &first, self.opens_ms);
        self.lines_are = Some(lines_are);
        self.seen_ms = None;
        match lines_are {
            LinesAre::EachIo | LinesAre::Histograms { .. } => {
                first.into_iter().for_each(|sample| self.add_io(sample))
            }
            LinesAre::Windows { length_ms } => {
                self.bins = TimeBins::with_step_of(length_ms);
                first.into_iter().for_each(|sample| self.add_window(sample, length_ms as f64));
            }
        }
    }

    #[inline]
    fn add_io(&mut self, sample: FioLogLine) {
        let seen_ms = self.seen_ms.unwrap_or(0);
        self.lines_back += u64::from(sample.time_ms < seen_ms);
        self.seen_ms = Some(sample.time_ms.max(seen_ms));
        if !self.within.contains(&sample.time_ms) {
            self.outside += 1;
            return;
        }
        self.count(sample);
        self.last_ms = self.last_ms.max(sample.time_ms);
        if self.kind.is_latency() {
            self.histogram.record(sample.value);
        }
        self.bins.add_io(sample.time_ms, sample.value, sample.block_bytes);
    }

    #[inline]
    fn count(&mut self, sample: FioLogLine) {
        self.lines += 1;
        self.has_values |= sample.value != 1;
        if sample.value > 0 {
            self.zeros = TrailingZeros { lines: 0, from_ms: sample.time_ms };
        } else {
            self.zeros.lines += 1;
        }
    }

    /// A bucket of a line: so many I/Os of about this latency. The coarsest line says how far a value is known.
    pub(super) fn add_of_histogram(&mut self, time_ms: u64, coarseness: u32, value: u64, ios: u64) {
        let coarseness = match self.lines_are {
            Some(LinesAre::Histograms { coarseness: before }) => coarseness.max(before),
            _ => coarseness,
        };
        self.lines_are = Some(LinesAre::Histograms { coarseness });
        if !self.within.contains(&time_ms) {
            self.outside += 1;
            return;
        }
        self.lines += ios;
        self.has_values = true;
        self.last_ms = self.last_ms.max(time_ms);
        self.histogram.record_n(value, ios);
        self.bins.add_ios(time_ms, value, ios);
    }

    /// A line whose time is not after that of the line before it covers no time, so it counts in no figure: else the smallest
    /// value could be one that the mean does not know.
    fn add_window(&mut self, sample: FioLogLine, length_ms: f64) {
        let is_first = self.seen_ms.is_none();
        let before_ms = self.seen_ms.unwrap_or(self.opens_ms);
        if sample.time_ms < before_ms {
            self.lines_back += 1;
            return;
        }
        if sample.time_ms == before_ms {
            self.lines_repeated += 1;
            return;
        }
        self.seen_ms = Some(sample.time_ms);
        let (mut begin, end) = (before_ms as f64, sample.time_ms as f64);
        if end - begin > LATE * length_ms {
            let silence = (begin, end - length_ms);
            begin = silence.1;
            match is_first {
                false => {
                    let unread =
                        self.unread_ms.iter().filter(|at| (before_ms..sample.time_ms).contains(at)).count();
                    let unread_ms = unread as f64 * length_ms;
                    self.silent_ms += (self.length_within(silence) - unread_ms).max(0.0);
                }
                // Before the first window there was a ramp, or nothing is known.
                true => self.begins_ms = begin.max(self.begins_ms),
            }
        }
        self.unread_ms.retain(|at| *at > sample.time_ms);
        let weight = self.length_within((begin, end));
        if weight <= 0.0 {
            self.outside += 1;
            return;
        }
        self.count(sample);
        let value = sample.value as f64;
        self.weight += weight;
        self.weight_squares += weight * weight;
        self.sum += value * weight;
        self.sum_squares += value * value * weight;
        self.min = self.min.min(sample.value);
        self.max = self.max.max(sample.value);
        let end = end.min(self.within.end as f64);
        self.bins.add_window((end - weight, end), sample.value);
        self.last_ms = self.last_ms.max(end as u64);
    }

    /// How much of a time counts, ms.
    fn length_within(&self, (begin, end): (f64, f64)) -> f64 {
        (end.min(self.within.end as f64) - begin.max(self.within.start as f64)).max(0.0)
    }
}
