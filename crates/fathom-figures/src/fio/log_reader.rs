//! Bytes of a log, in any pieces, into the figures of its jobs.

use super::lines_are::epoch_begin;
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

/// Time goes back by more than this where another job begins, ms.
const BACK_MS: u64 = 20;

/// Steps of the time lines of all jobs of one log together: 40 MB. A log whose times go back again and again would else have
/// thousands of jobs with a time line of its own each.
pub const LOG_BINS_MAX: usize = 1 << 20;

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
    /// What lies before this time is left out, ms since the start.
    pub from_ms: u64,
    /// What lies after this time is left out, ms since the start.
    pub to_ms: u64,
    /// Where times of the epoch are counted from, ms: the beginning of the earliest of several logs. `None`: where this one began.
    pub epoch_ms: Option<u64>,
    /// Does the log hold several jobs one after another (`per_job_logs=0`)?
    pub has_parts: bool,
}

impl LogTerms {
    /// All of a log of one job.
    pub fn of(kind: FioLogKind) -> LogTerms {
        let latency_unit = LatencyUnit::default();
        LogTerms { kind, latency_unit, from_ms: 0, to_ms: u64::MAX, epoch_ms: None, has_parts: false }
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
    /// Lines of windows that have the time of the line before them, so that they cover no time.
    pub repeated: u64,
    /// Are its times those of the epoch? They are counted from `epoch_ms` then.
    pub is_epoch: bool,
    /// The unit in which its latencies were read.
    pub latency_unit: LatencyUnit,
    /// The most columns of a line at its beginning.
    pub columns: usize,
    /// Do its lines have the largest value of their window behind the value (`log_window_value=both`)?
    pub has_max: bool,
}

/// Steps of the time lines of a job.
fn bins(part: &LogPart) -> usize {
    part.tracks.iter().filter_map(|(_, track)| Some(track.as_ref()?.bins().len())).sum()
}

impl FioLog {
    /// Of this kind, without a line.
    pub(super) fn new(kind: FioLogKind) -> FioLog {
        FioLog {
            kind,
            parts: Vec::new(),
            left_out: LinesLeftOut::default(),
            lines: 0,
            outside: 0,
            repeated: 0,
            is_epoch: false,
            latency_unit: LatencyUnit::default(),
            columns: 0,
            has_max: false,
        }
    }

    /// Leaves out the line that was counted last.
    #[cold]
    pub(super) fn leave_out(&mut self, fault: LineFault) {
        self.left_out.lines += 1;
        self.left_out.first.get_or_insert((self.lines, fault));
    }

    /// Steps of all its time lines.
    pub fn bins(&self) -> usize {
        self.parts.iter().map(bins).sum()
    }

    /// Do its lines have more columns than fio 2 wrote?
    pub fn is_newer_than_fio_2(&self) -> bool {
        self.columns > 4
    }

    /// What its columns are, and the unit of its values.
    pub fn columns_are(&self) -> String {
        if self.tracks().any(|track| track.lines_are().are_histograms()) {
            return "time in ms, direction, block size, I/Os of each bucket".to_owned();
        }
        let unit = match (self.kind, self.latency_unit) {
            (FioLogKind::Bandwidth, _) => "KiB/s",
            (FioLogKind::Iops, _) => "I/Os per s",
            (_, LatencyUnit::Nanoseconds) => "ns",
            (_, LatencyUnit::Microseconds) => "µs",
        };
        let max = if self.has_max { ", largest value" } else { "" };
        let known = if self.has_max { 5 } else { 4 };
        let block = if self.columns >= known { ", block size in B" } else { "" };
        let more = match self.columns.saturating_sub(known) {
            0 => String::new(),
            1 => ", 1 more that is not used".to_owned(),
            more => format!(", {more} more that are not used"),
        };
        format!("time in ms, value in {unit}{max}, direction{block}{more}")
    }

    /// Makes the steps of all its time lines twice as long.
    pub fn coarsen(&mut self) {
        for part in &mut self.parts {
            for direction in Direction::ALL {
                part.tracks[direction].iter_mut().for_each(LogTrack::coarsen);
            }
        }
    }

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
    origin_ms: u64,
    /// When its job began, ms since the origin.
    opens_ms: u64,
    current: PerDirection<Option<LogTrack>>,
    last_ms: u64,
    /// Steps of the time lines of the jobs that have ended.
    bins: usize,
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
            origin_ms: 0,
            opens_ms: 0,
            current: PerDirection::default(),
            last_ms: 0,
            bins: 0,
            log: FioLog::new(terms.kind),
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
            self.log.leave_out(fault);
        }
        self.end_part();
        self.log
    }

    /// Decides which columns there are, and reads what has come so far.
    fn begin(&mut self) {
        let head = std::mem::take(&mut self.pending);
        let layout = layout(&head);
        self.layout = Some(layout);
        (self.log.columns, self.log.has_max) = (columns(&head), layout.has_max);
        self.log.latency_unit = self.terms.latency_unit;
        let samples: Vec<FioLogLine> = first_lines(&head).filter_map(|line| layout.read(line).ok()).collect();
        if let Some(began_ms) = epoch_begin(self.terms.kind, &samples) {
            self.log.is_epoch = true;
            self.origin_ms = self.terms.epoch_ms.map_or(began_ms, |all| all.min(began_ms));
            self.opens_ms = began_ms - self.origin_ms;
        }
        self.feed_lines(&head);
    }

    fn feed_lines(&mut self, mut bytes: &[u8]) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let line = &bytes[..end];
            if self.is_in_long_line {
                self.is_in_long_line = false;
                self.log.lines += 1;
                self.log.leave_out(LineFault::TooLong);
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
        match read {
            Err(LineFault::TooLong) => self.log.leave_out(LineFault::TooLong),
            Err(fault) => self.unread(line, fault),
            Ok(sample) => {
                if let Err(fault) = self.sample(sample) {
                    self.log.leave_out(fault);
                }
            }
        }
    }

    /// Leaves out a line. If its time can be read, its window is not known, and no window without I/O.
    #[cold]
    fn unread(&mut self, line: &[u8], fault: LineFault) {
        self.log.leave_out(fault);
        let place = self.layout.unwrap_or_default().place(trimmed(line));
        if let Some((time_ms, direction)) = place
            && let Some(track) = &mut self.current[direction]
        {
            track.unread(time_ms.saturating_sub(self.origin_ms));
        }
    }

    #[inline]
    fn sample(&mut self, mut sample: FioLogLine) -> Result<(), LineFault> {
        // An earlier time than the first is that of the first: only times of the epoch have an origin.
        sample.time_ms = sample.time_ms.saturating_sub(self.origin_ms);
        if self.terms.has_parts
            && sample.time_ms < self.last_ms / 2
            && self.last_ms - sample.time_ms > BACK_MS
        {
            if self.log.parts.len() + 1 >= PARTS_MAX {
                return Err(LineFault::TimeJumps);
            }
            self.end_part();
        }
        if self.terms.kind.is_latency() && self.terms.latency_unit == LatencyUnit::Microseconds {
            sample.value = sample.value.checked_mul(1000).ok_or(LineFault::TooLarge)?;
        }
        let (kind, within) = (self.terms.kind, self.terms.from_ms..self.terms.to_ms);
        let opens_ms = self.opens_ms;
        let new = || LogTrack::new(kind, opens_ms, within);
        let track = self.current[sample.direction].get_or_insert_with(new);
        track.add(sample)?;
        self.last_ms = self.last_ms.max(sample.time_ms);
        Ok(())
    }

    #[cold]
    fn end_part(&mut self) {
        let mut tracks = std::mem::take(&mut self.current);
        self.last_ms = 0;
        for direction in Direction::ALL {
            let Some(track) = &mut tracks[direction] else { continue };
            track.finish();
            self.log.outside += track.outside();
            self.log.repeated += track.lines_repeated();
            if track.lines == 0 {
                tracks[direction] = None;
            }
        }
        if tracks.iter().any(|(_, track)| track.is_some()) {
            let part = LogPart { tracks };
            self.bins += bins(&part);
            self.log.parts.push(part);
        }
        while self.bins > LOG_BINS_MAX {
            self.log.coarsen();
            self.bins = self.log.bins();
        }
    }
}

/// When the job of a log began whose times are those of the epoch, ms, by its first bytes; `None` for any other log.
pub fn epoch_begin_ms(head: &[u8], kind: FioLogKind) -> Option<u64> {
    let layout = layout(head);
    let samples: Vec<FioLogLine> = first_lines(head).filter_map(|line| layout.read(line).ok()).collect();
    epoch_begin(kind, &samples)
}

/// The whole lines at the beginning by which the columns are known.
fn first_lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = head[..head.len().min(HEAD_BYTES)].split_inclusive(|byte| *byte == b'\n');
    lines.filter(|line| line.ends_with(b"\n")).take(HEAD_LINES).map(trimmed)
}

fn layout(head: &[u8]) -> Layout {
    Layout::of(first_lines(head))
}

/// The most columns of a line at the beginning.
fn columns(head: &[u8]) -> usize {
    first_lines(head).map(|line| line.iter().filter(|byte| **byte == b',').count() + 1).max().unwrap_or(0)
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
        // A line tells the end of its window: the first that lies after 20 s is that of 21 s.
        assert_eq!((figures.n, figures.min, figures.max), (10, Some(21.0), Some(30.0)));
        assert_eq!((figures.mean, figures.seconds), (Some(25.5), 10.0));
    }

    /// A window of which a part lies in the time counts with that part.
    #[test]
    fn a_window_that_is_cut_counts_with_its_part() {
        let lines = "1000, 10, 0, 0\n2000, 20, 0, 0\n3000, 30, 0, 0\n4000, 40, 0, 0\n";
        let terms = LogTerms { from_ms: 1500, to_ms: 3250, ..LogTerms::of(FioLogKind::Iops) };
        let log = read(terms, lines.as_bytes(), 7);
        let figures = log.parts[0].tracks.read.as_ref().unwrap().figures().unwrap();
        assert_eq!((log.outside, figures.n, figures.seconds), (1, 3, 1.75));
        assert_eq!(figures.mean, Some((0.5 * 20.0 + 30.0 + 0.25 * 40.0) / 1.75));
    }

    /// The second log begins 5 s later, and lies 5 s later; the first line of each has its weight.
    #[test]
    fn logs_of_the_epoch_keep_their_distance() {
        let lines = |from: u64| -> String {
            (1..=4).map(|at| format!("{}, {}, 0, 0\n", from + at * 1000, at * 100)).collect()
        };
        let (one, two) = (lines(1_795_433_950_000), lines(1_795_433_955_000));
        let kind = FioLogKind::Iops;
        let began = [&one, &two].map(|text| epoch_begin_ms(text.as_bytes(), kind).unwrap());
        assert_eq!(began, [1_795_433_950_000, 1_795_433_955_000]);
        let terms = LogTerms { epoch_ms: began.into_iter().min(), ..LogTerms::of(kind) };
        let told = [&one, &two].map(|text| {
            let log = read(terms, text.as_bytes(), 1000);
            let track = log.parts[0].tracks.read.clone().unwrap();
            (track.span_ms(), track.figures().unwrap().mean, track.figures().unwrap().n)
        });
        assert_eq!(told, [((0.0, 4000.0), Some(250.0), 4), ((5000.0, 9000.0), Some(250.0), 4)]);
        assert_eq!(epoch_begin_ms(b"1000, 1, 0, 0\n", kind), None);
    }

    /// Each line begins another job: 2,048 of them, with long time lines.
    #[test]
    fn a_log_in_disorder_keeps_within_its_memory() {
        let lines: String = (0..10_000)
            .map(|at| format!("{}, 7, {}, 4096\n", if at % 2 == 0 { 1 } else { 100_000 }, at % 3))
            .collect();
        let log =
            read(LogTerms { has_parts: true, ..LogTerms::of(FioLogKind::Latency) }, lines.as_bytes(), 4096);
        assert_eq!(log.parts.len(), PARTS_MAX);
        assert!(log.bins() <= LOG_BINS_MAX, "{}", log.bins());
    }

    /// Lines that cover no time count in no figure: their values are neither the smallest nor the largest of what was measured.
    #[test]
    fn a_mean_lies_between_the_extremes() {
        for lines in [
            "1000, 100, 0, 0\n1000, 200, 0, 0\n1000, 50, 0, 0\n",
            "1000, 100, 0, 0\n2000, 200, 0, 0\n1500, 5, 0, 0\n3000, 150, 0, 0\n3000, 9000, 0, 0\n",
            "0, 100, 0, 0\n1000, 300, 0, 0\n2000, 200, 0, 0\n",
        ] {
            for kind in [FioLogKind::Iops, FioLogKind::Bandwidth, FioLogKind::Latency] {
                let log = read(LogTerms::of(kind), lines.as_bytes(), 1000);
                let figures = log.parts[0].tracks.read.as_ref().unwrap().figures().unwrap();
                let (mean, min, max) = (figures.mean.unwrap(), figures.min.unwrap(), figures.max.unwrap());
                assert!(min <= mean && mean <= max, "{kind:?} {lines}: {figures:?}");
                assert!(log.repeated + log.tracks().map(LogTrack::lines_back).sum::<u64>() > 0);
            }
        }
    }

    /// The window of a line that cannot be read is not known: it is no time in which nothing completed.
    #[test]
    fn a_line_that_cannot_be_read_is_no_stall() {
        for (lines, fault, silent_seconds, mean) in [
            (
                "1000, 100, 0, 0\n2000, -5, 0, 0\n3000, 100, 0, 0\n4000, 100, 0, 0\n",
                LineFault::Negative,
                0.0,
                100.0,
            ),
            (
                "1000, 100, 0, 0\n2000, x, 0, 0\n3000, 100, 0, 0\n4000, 100, 0, 0\n",
                LineFault::NotANumber,
                0.0,
                100.0,
            ),
            // One window is unreadable, and one has no line.
            (
                "1000, 100, 0, 0\n2000, -5, 0, 0\n4000, 100, 0, 0\n5000, 100, 0, 0\n",
                LineFault::Negative,
                1.0,
                75.0,
            ),
            // That of another direction says nothing of reads.
            (
                "1000, 100, 0, 0\n2000, -5, 1, 0\n3000, 100, 0, 0\n4000, 100, 0, 0\n",
                LineFault::Negative,
                1.0,
                75.0,
            ),
        ] {
            let log = read(LogTerms::of(FioLogKind::Iops), lines.as_bytes(), 7);
            let figures = log.parts[0].tracks.read.as_ref().unwrap().figures().unwrap();
            assert_eq!(log.left_out.first, Some((2, fault)), "{lines}");
            assert_eq!((figures.silent_seconds, figures.mean), (silent_seconds, Some(mean)), "{lines}");
        }
    }

    #[test]
    fn zeros_at_the_end_are_counted() {
        let log = read(
            LogTerms::of(FioLogKind::Iops),
            b"1000, 9, 0, 0\n2000, 9, 0, 0\n3000, 0, 0, 0\n4000, 0, 0, 0\n",
            9,
        );
        let zeros = log.tracks().next().unwrap().trailing_zeros();
        assert_eq!((zeros.lines, zeros.from_ms), (2, 2000));
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
        assert!(!log.is_newer_than_fio_2());
    }

    #[test]
    fn a_log_of_iops_under_another_name_is_noticed() {
        assert!(latency(b"1, 1, 0, 4096\n2, 1, 0, 4096\n").counts_ios());
        assert!(!latency(b"1, 1, 0, 4096\n2, 7, 0, 4096\n").counts_ios());
    }
}
