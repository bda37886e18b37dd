//! Bytes of a log, in any pieces, into the figures of its jobs.

use super::log_line::{FioLogLine, Layout, LineFault};
use super::log_name::FioLogKind;
use super::log_track::LogTrack;
use fathom_job::direction::{Direction, PerDirection};

/// Longer than any line: fio's longest has seven numbers of at most 20 digits.
const LINE_MAX: usize = 1024;

/// Bytes at the beginning by which the columns are known.
const HEAD_BYTES: usize = 64 << 10;

/// Lines at the beginning by which the columns are known.
const HEAD_LINES: usize = 64;

/// Jobs in one log: as many as fio's table of jobs has by default.
const PARTS_MAX: usize = 2048;

/// Times from here on are those of the epoch and not of the job, ms: three years.
const EPOCH_MS: u64 = 100_000_000_000;

/// Time goes back by more than this where another job begins, ms.
const BACK_MS: u64 = 20;

/// The unit of a log of latencies, which the file does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LatencyUnit {
    /// As fio 3 writes it.
    #[default]
    Nanoseconds,
    /// As fio 1 and 2 wrote it.
    Microseconds,
}

/// How a log is read.
#[derive(Clone, Copy, Debug)]
pub struct LogTerms {
    /// What its values are.
    pub kind: FioLogKind,
    /// The unit of latencies.
    pub latency_unit: LatencyUnit,
    /// Lines before this time are left out, ms since the start.
    pub from_ms: u64,
    /// Lines from this time on are left out, ms since the start.
    pub to_ms: u64,
    /// Does the log hold several jobs one after another (`per_job_logs=0`)?
    pub has_parts: bool,
}

impl LogTerms {
    /// All of a log of one job.
    pub fn of(kind: FioLogKind) -> LogTerms {
        let latency_unit = LatencyUnit::default();
        LogTerms { kind, latency_unit, from_ms: 0, to_ms: u64::MAX, has_parts: false }
    }
}

/// Lines that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinesLeftOut {
    /// How many.
    pub lines: u64,
    /// The first of them: its number in the file, from 1, and what is wrong.
    pub first: Option<(u64, LineFault)>,
}

/// One job of a log.
#[derive(Clone, Debug)]
pub struct LogPart {
    /// Its directions, those with lines.
    pub tracks: PerDirection<Option<LogTrack>>,
}

/// A log, read.
#[derive(Clone, Debug)]
pub struct FioLog {
    /// What its values are.
    pub kind: FioLogKind,
    /// Its jobs, in the order of the file.
    pub parts: Vec<LogPart>,
    /// What could not be read.
    pub left_out: LinesLeftOut,
    /// Lines in the file.
    pub lines: u64,
    /// Lines that `from_ms` and `to_ms` left out.
    pub outside: u64,
    /// Are its times those of the epoch? They are counted from its first line then.
    pub is_epoch: bool,
    /// Do its lines have more columns than fio 2 wrote?
    pub is_newer_than_fio_2: bool,
}

impl FioLog {
    /// All directions of all jobs with lines.
    pub fn tracks(&self) -> impl Iterator<Item = &LogTrack> {
        self.parts.iter().flat_map(|part| part.tracks.iter()).filter_map(|(_, track)| track.as_ref())
    }

    /// Does the log hold single I/Os whose values are all 1, as only a log of IOPS does?
    pub fn counts_ios(&self) -> bool {
        self.tracks().map(|track| track.lines).sum::<u64>() > 1
            && self.tracks().all(|track| !track.has_values)
    }
}

/// Reads a log piece by piece. How the bytes are divided into pieces makes no difference.
#[derive(Debug)]
pub struct LogReader {
    terms: LogTerms,
    layout: Option<Layout>,
    /// The beginning of the file, until its columns are known; then a line whose end is still missing.
    pending: Vec<u8>,
    /// In a line that is too long, whose rest is not kept.
    is_in_long_line: bool,
    origin_ms: Option<u64>,
    current: PerDirection<Option<LogTrack>>,
    last_ms: u64,
    log: FioLog,
}

impl LogReader {
    /// Nothing is read yet.
    pub fn new(terms: LogTerms) -> LogReader {
        LogReader {
            terms,
            layout: None,
            pending: Vec::new(),
            is_in_long_line: false,
            origin_ms: None,
            current: PerDirection::default(),
            last_ms: 0,
            log: FioLog {
                kind: terms.kind,
                parts: Vec::new(),
                left_out: LinesLeftOut::default(),
                lines: 0,
                outside: 0,
                is_epoch: false,
                is_newer_than_fio_2: false,
            },
        }
    }

    /// Reads the next piece.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.layout.is_some() {
            return self.feed_lines(bytes);
        }
        self.pending.extend_from_slice(bytes);
        if self.pending.len() >= HEAD_BYTES {
            self.begin();
        }
    }

    /// The file has ended.
    pub fn finish(mut self) -> FioLog {
        if self.layout.is_none() {
            self.begin();
        }
        if !self.pending.is_empty() || self.is_in_long_line {
            // A line without its end was cut; its last number may have lost digits.
            self.log.lines += 1;
            let fault = if self.is_in_long_line { LineFault::TooLong } else { LineFault::Cut };
            self.leave_out(fault);
        }
        self.end_part();
        self.log
    }

    /// Decides which columns there are, and reads what has come so far.
    fn begin(&mut self) {
        let head = std::mem::take(&mut self.pending);
        let lines = || {
            let whole = head[..head.len().min(HEAD_BYTES)].split_inclusive(|byte| *byte == b'\n');
            whole.filter(|line| line.ends_with(b"\n")).take(HEAD_LINES).map(trimmed)
        };
        self.layout = Some(Layout::of(lines()));
        let columns = lines().map(|line| line.iter().filter(|byte| **byte == b',').count() + 1).max();
        self.log.is_newer_than_fio_2 = columns.unwrap_or(0) > 4;
        self.feed_lines(&head);
    }

    fn feed_lines(&mut self, mut bytes: &[u8]) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let line = &bytes[..end];
            if self.is_in_long_line {
                self.is_in_long_line = false;
                self.log.lines += 1;
                self.leave_out(LineFault::TooLong);
            } else if self.pending.is_empty() {
                self.line(line);
            } else {
                let mut whole = std::mem::take(&mut self.pending);
                whole.extend_from_slice(line);
                self.line(&whole);
                whole.clear();
                self.pending = whole;
            }
            bytes = &bytes[end + 1..];
        }
        if self.pending.len() + bytes.len() > LINE_MAX {
            self.is_in_long_line = true;
        }
        if self.is_in_long_line {
            self.pending.clear();
        } else {
            self.pending.extend_from_slice(bytes);
        }
    }

    /// Reads one line, without its line feed.
    #[inline]
    fn line(&mut self, line: &[u8]) {
        self.log.lines += 1;
        let read = match line.len() {
            0..=LINE_MAX => self.layout.unwrap_or_default().read(trimmed(line)),
            _ => Err(LineFault::TooLong),
        };
        if let Err(fault) = read.and_then(|sample| self.sample(sample)) {
            self.leave_out(fault);
        }
    }

    #[inline]
    fn sample(&mut self, mut sample: FioLogLine) -> Result<(), LineFault> {
        let origin_ms = self.origin_ms.unwrap_or_else(|| self.begins_at(sample.time_ms));
        // An earlier time than the first is that of the first: only times of the epoch have an origin.
        sample.time_ms = sample.time_ms.saturating_sub(origin_ms);
        if self.terms.has_parts
            && sample.time_ms < self.last_ms / 2
            && self.last_ms - sample.time_ms > BACK_MS
        {
            self.end_part();
            if self.log.parts.len() >= PARTS_MAX {
                return Err(LineFault::TimeJumps);
            }
        }
        if sample.time_ms < self.terms.from_ms || sample.time_ms >= self.terms.to_ms {
            self.log.outside += 1;
            self.last_ms = self.last_ms.max(sample.time_ms);
            return Ok(());
        }
        if self.terms.kind.is_latency() && self.terms.latency_unit == LatencyUnit::Microseconds {
            sample.value = sample.value.checked_mul(1000).ok_or(LineFault::TooLarge)?;
        }
        let (kind, from_ms) = (self.terms.kind, self.terms.from_ms);
        let track = self.current[sample.direction].get_or_insert_with(|| LogTrack::new(kind, from_ms));
        track.add(sample)?;
        self.last_ms = self.last_ms.max(sample.time_ms);
        Ok(())
    }

    #[cold]
    fn begins_at(&mut self, first_ms: u64) -> u64 {
        self.log.is_epoch = first_ms >= EPOCH_MS;
        let origin_ms = if self.log.is_epoch { first_ms } else { 0 };
        self.origin_ms = Some(origin_ms);
        origin_ms
    }

    #[cold]
    fn leave_out(&mut self, fault: LineFault) {
        self.log.left_out.lines += 1;
        let line = self.log.lines;
        self.log.left_out.first.get_or_insert((line, fault));
    }

    #[cold]
    fn end_part(&mut self) {
        let mut tracks = std::mem::take(&mut self.current);
        self.last_ms = 0;
        for direction in Direction::ALL {
            tracks[direction].iter_mut().for_each(LogTrack::finish);
        }
        if tracks.iter().any(|(_, track)| track.is_some()) {
            self.log.parts.push(LogPart { tracks });
        }
    }
}

/// A line without what ends it: a carriage return where a file came by way of Windows.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(terms: LogTerms, bytes: &[u8], piece: usize) -> FioLog {
        let mut reader = LogReader::new(terms);
        bytes.chunks(piece).for_each(|piece| reader.feed(piece));
        reader.finish()
    }

    fn latency(bytes: &[u8]) -> FioLog {
        read(LogTerms::of(FioLogKind::Latency), bytes, bytes.len().max(1))
    }

    /// Lines that were read, lines that were left out, and the first of those.
    fn counts(log: &FioLog) -> (u64, u64, Option<(u64, LineFault)>) {
        (log.tracks().map(|track| track.lines).sum(), log.left_out.lines, log.left_out.first)
    }

    #[test]
    fn what_cannot_be_read_is_left_out_and_counted() {
        let long = format!("1, 2, 0, 4096\n{}\n3, 4, 0, 4096\n", "7".repeat(10 << 20));
        let cases: [(&[u8], _); 9] = [
            (b"", (0, 0, None)),
            (b"1, 2, 0, 4096\r\n3, 4, 1, 4096\r\n", (2, 0, None)),
            (b"1, 2, 0, 4096\n3, 4, 0, 40", (1, 1, Some((2, LineFault::Cut)))),
            (b"1, 2, 0, 4096\n\n3, 4, 0, 4096\n", (2, 1, Some((2, LineFault::TooFewColumns)))),
            (b"\0\0\0\0\n1, 2, 0, 4096\n", (1, 1, Some((1, LineFault::NotANumber)))),
            (b"1, 2, 9, 4096\n1, x, 0, 4096\n", (0, 2, Some((1, LineFault::NoDirection)))),
            (b"1, 99999999999999999999, 0, 1\n", (0, 1, Some((1, LineFault::TooLarge)))),
            (b"1, 2, 0, 1\n99999999999, 2, 0, 1\n2, 2, 0, 1\n", (2, 1, Some((2, LineFault::TimeJumps)))),
            (long.as_bytes(), (2, 1, Some((2, LineFault::TooLong)))),
        ];
        for (bytes, expected) in cases {
            let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]);
            assert_eq!(counts(&latency(bytes)), expected, "{shown}");
            let by_bytes = read(LogTerms::of(FioLogKind::Latency), bytes, 7);
            assert_eq!(counts(&by_bytes), expected, "in pieces: {shown}");
        }
    }

    #[test]
    fn a_window_of_time_leaves_out_the_rest() {
        let lines: String = (1..=100).map(|at| format!("{}, {at}, 0, 0\n", at * 1000)).collect();
        let terms = LogTerms { from_ms: 20_000, to_ms: 30_000, ..LogTerms::of(FioLogKind::Iops) };
        let log = read(terms, lines.as_bytes(), 100);
        assert_eq!(log.outside, 90);
        let figures = log.parts[0].tracks.read.as_ref().unwrap().figures().unwrap();
        assert_eq!((figures.n, figures.min, figures.max), (10, Some(20.0), Some(29.0)));
    }

    #[test]
    fn times_of_the_epoch_are_counted_from_the_first() {
        let log = latency(b"1795433958327, 100, 0, 4096\n1795433959327, 300, 0, 4096\n");
        let figures = log.parts[0].tracks.read.as_ref().unwrap().figures().unwrap();
        assert_eq!((log.is_epoch, figures.n, figures.mean, figures.seconds), (true, 2, Some(200.0), 1.0));
    }

    #[test]
    fn microseconds_of_fio_2() {
        let terms = LogTerms { latency_unit: LatencyUnit::Microseconds, ..LogTerms::of(FioLogKind::Latency) };
        let log = read(terms, b"1, 344, 0, 4096\n2, 344, 0, 4096\n", 100);
        assert_eq!(log.parts[0].tracks.read.as_ref().unwrap().figures().unwrap().mean, Some(344_000.0));
        assert!(!log.is_newer_than_fio_2);
    }

    #[test]
    fn a_log_of_iops_under_another_name_is_noticed() {
        assert!(latency(b"1, 1, 0, 4096\n2, 1, 0, 4096\n").counts_ios());
        assert!(!latency(b"1, 1, 0, 4096\n2, 7, 0, 4096\n").counts_ios());
    }
}
