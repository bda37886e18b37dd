//! A worker's log lines: a sample per I/O, or per averaging window.
//!
//! With `log_avg_msec`, windows come from the clock, so one without any
//! completion yields a line of zero in the logs of bandwidth and IOPS: a stall is
//! visible. It has no latency, and so no line in the logs of latency. Windows of histograms have their own length.

use super::histogram::HistogramWindows;
use super::{LogChunk, LogKind, LogKinds, LogSample, LoggedIo, touched};
use crate::clock::clock_ms;
use fathom_job::direction::{Direction, PerDirection};
use fathom_job::job::Job;
use fathom_job::options as opt;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// I/Os of a buffer: 96 KiB, which the second level of a cache holds.
const ENTRIES: usize = 2048;

/// Buffers of a worker: enough while the writer is up to 2 ms late, at four
/// million I/Os a second.
const BUFFERS: usize = 4;

/// How long a worker waits for a buffer before it goes on without one, and
/// loses what it logs: a disk that hangs must not hang the run.
const PATIENCE: Duration = Duration::from_secs(5);

/// The unit of the time of a line, ns: fio's logs have milliseconds.
const LINE_TIME_NS: u64 = 1_000_000;

/// An open window at the end of the job in which nothing completed is a stall from this part of a window on; a shorter one is the
/// time between the last I/O and the end. The choice is fathom's.
const STALL_PARTS: u64 = 10;

/// Name of the note about the time that the load waited for the log.
pub const WAITED: &str = "log.waited_ns";

/// A worker's log buffer.
#[derive(Debug)]
pub struct LogBuffer {
    kinds: LogKinds,
    window_ns: u64,
    next_ns: u64,
    sums: PerDirection<WindowSum>,
    used: PerDirection<bool>,
    ios: Vec<LoggedIo>,
    windows: Vec<LogSample>,
    histograms: Option<HistogramWindows>,
    spare: Receiver<Vec<LoggedIo>>,
    back: SyncSender<Vec<LoggedIo>>,
    waited: Duration,
    lost: u64,
    /// The clock whose epoch the times of lines have (`log_alternate_epoch`), and its time when the measured window began.
    epoch: Option<(libc::clockid_t, u64)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct WindowSum {
    ios: u64,
    bytes: u64,
    slat: SumMax,
    clat: SumMax,
    total: SumMax,
}

#[derive(Clone, Copy, Debug, Default)]
struct SumMax {
    sum: u64,
    max: u64,
}

impl SumMax {
    fn add(&mut self, value: u64) {
        self.sum += value;
        self.max = self.max.max(value);
    }
}

impl LogBuffer {
    /// The buffer of a job that asks for logs, else `None`.
    pub fn of(job: &Job, used: PerDirection<bool>, sync_engine: bool) -> Option<LogBuffer> {
        let [bandwidth, iops, latency] =
            [&opt::WRITE_BW_LOG, &opt::WRITE_IOPS_LOG, &opt::WRITE_LAT_LOG].map(|key| job.is_given(key));
        let window_ns = u64::from(job.get(&opt::LOG_AVG_MSEC)) * 1_000_000;
        let kinds = LogKinds { bandwidth, iops, latency, submission: !sync_engine };
        let histograms = HistogramWindows::of(job);
        let is_any = kinds.is_any() || histograms.is_some();
        let has_epoch = job.get(&opt::LOG_ALTERNATE_EPOCH);
        is_any.then(|| LogBuffer {
            histograms,
            epoch: has_epoch.then(|| (job.get(&opt::LOG_ALTERNATE_EPOCH_CLOCK_ID) as libc::clockid_t, 0)),
            ..LogBuffer::new(kinds, window_ns, used)
        })
    }

    /// The measured window has begun.
    pub fn begin(&mut self) {
        if let Some((clock, epoch_ms)) = &mut self.epoch {
            *epoch_ms = clock_ms(*clock);
        }
    }

    fn new(kinds: LogKinds, window_ns: u64, used: PerDirection<bool>) -> LogBuffer {
        let (back, spare) = sync_channel(BUFFERS);
        let entries = if window_ns == 0 && kinds.is_any() { ENTRIES } else { 0 };
        let buffer = || touched(LoggedIo::BLANK, entries);
        for _ in 1..BUFFERS {
            let _ = back.try_send(buffer());
        }
        LogBuffer {
            kinds,
            window_ns,
            next_ns: window_ns,
            sums: PerDirection::default(),
            used,
            ios: buffer(),
            windows: Vec::new(),
            histograms: None,
            spare,
            back,
            waited: Duration::ZERO,
            lost: 0,
            epoch: None,
        }
    }

    /// Adds one I/O. Returns whether it is time to hand the buffer over.
    #[inline]
    pub fn add(&mut self, io: &LoggedIo) -> bool {
        if let Some(histograms) = &mut self.histograms {
            histograms.add(io);
        }
        if !self.kinds.is_any() {
            return false;
        }
        if self.window_ns == 0 {
            self.ios.push(*io);
            return self.ios.len() >= ENTRIES;
        }
        self.add_to_window(io);
        false
    }

    /// An I/O that completed exactly at the end of a window belongs to that window, as in every series.
    fn add_to_window(&mut self, io: &LoggedIo) {
        self.close_windows(io.at_ns.saturating_sub(1));
        let sum = &mut self.sums[io.direction];
        sum.ios += 1;
        sum.bytes = sum.bytes.saturating_add(io.bytes);
        sum.slat.add(io.submission_ns);
        sum.clat.add(io.completion_ns);
        sum.total.add(io.submission_ns + io.completion_ns);
    }

    /// Closes every window that ended before `at_ns`.
    pub fn advance(&mut self, at_ns: u64) {
        self.close_windows(at_ns);
        if let Some(histograms) = &mut self.histograms {
            histograms.advance(at_ns);
        }
    }

    fn close_windows(&mut self, at_ns: u64) {
        while self.window_ns > 0 && at_ns >= self.next_ns {
            for direction in Direction::ALL {
                if self.used[direction] {
                    self.close_window(direction);
                }
            }
            self.next_ns += self.window_ns;
        }
    }

    /// The job has ended `at_ns` after its window began. The open averaging window gets a line too, over the time it lasted. It gets
    /// none where that line would have the time of the line before it, or where it is short and nothing completed in it.
    pub fn finish(&mut self, at_ns: u64) {
        if let Some(histograms) = &mut self.histograms {
            histograms.finish(at_ns);
        }
        self.close_windows(at_ns);
        let began_ns = self.next_ns.saturating_sub(self.window_ns);
        let has_io = Direction::ALL.into_iter().any(|d| self.sums[d].ios > 0);
        let is_first = self.next_ns == self.window_ns;
        let has_own_time = at_ns / LINE_TIME_NS > began_ns / LINE_TIME_NS;
        let is_stall = at_ns.saturating_sub(began_ns) >= self.window_ns / STALL_PARTS;
        if self.window_ns > 0 && (has_io && (is_first || has_own_time) || has_own_time && is_stall) {
            (self.next_ns, self.window_ns) = (at_ns, at_ns.saturating_sub(began_ns).max(1));
            let used = self.used;
            for direction in Direction::ALL.into_iter().filter(|&d| used[d]) {
                self.close_window(direction);
            }
        }
    }

    /// What was logged since the last call; `None` if there is nothing. Waits for
    /// a writer that is late: the writer then limits the load, and
    /// [`LogBuffer::notes`] says so.
    pub fn take(&mut self, job: u32) -> Option<LogChunk> {
        if self.ios.is_empty() {
            return self.chunk(job, Vec::new(), None);
        }
        let Some(empty) = self.spare.try_recv().ok().or_else(|| self.wait()) else {
            self.lost += self.ios.len() as u64;
            self.ios.clear();
            return None;
        };
        let (ios, back) = (std::mem::replace(&mut self.ios, empty), self.back.clone());
        self.chunk(job, ios, Some(back))
    }

    /// The last call. It does not wait, since the worker needs no buffer any more.
    pub fn take_last(&mut self, job: u32) -> Option<LogChunk> {
        let ios = std::mem::take(&mut self.ios);
        self.chunk(job, ios, None)
    }

    /// These I/Os with the windows that were closed; `None` if there is nothing.
    fn chunk(
        &mut self,
        job: u32,
        ios: Vec<LoggedIo>,
        back: Option<SyncSender<Vec<LoggedIo>>>,
    ) -> Option<LogChunk> {
        let windows = std::mem::take(&mut self.windows);
        let histograms = self.histograms.as_mut().map(HistogramWindows::take).unwrap_or_default();
        let is_any = !ios.is_empty() || !windows.is_empty() || !histograms.is_empty();
        is_any.then(|| {
            let mut chunk = LogChunk::of(job, self.kinds);
            (chunk.ios, chunk.windows, chunk.histograms, chunk.back) = (ios, windows, histograms, back);
            chunk.epoch_ms = self.epoch.map_or(0, |(_, epoch_ms)| epoch_ms);
            chunk
        })
    }

    #[cold]
    fn wait(&mut self) -> Option<Vec<LoggedIo>> {
        let start = Instant::now();
        // Only the first wait is long. If the writer hung once, the worker does not
        // wait for it again and again.
        let patience = if self.lost == 0 { PATIENCE } else { Duration::ZERO };
        let empty = self.spare.recv_timeout(patience).ok();
        self.waited += start.elapsed();
        empty
    }

    /// How long the load waited for the log, and what the log lost; empty if neither happened.
    pub fn notes(&self) -> Vec<(String, String)> {
        let figures = [(WAITED, self.waited.as_nanos()), ("log.lost_ios", u128::from(self.lost))];
        let nonzero = figures.into_iter().filter(|(_, figure)| *figure > 0);
        nonzero.map(|(name, figure)| (name.to_owned(), figure.to_string())).collect()
    }

    fn close_window(&mut self, direction: Direction) {
        let sum = std::mem::take(&mut self.sums[direction]);
        let (at_ns, seconds) = (self.next_ns, self.window_ns as f64 / 1e9);
        let mut push = |kind, value: u64, value_max: u64| {
            // As in fio, a window has no block size: readers tell windows from single I/Os by that.
            let (bytes, offset, priority, issued_ns) = (0, 0, 0, 0);
            self.windows.push(LogSample {
                kind,
                at_ns,
                value,
                value_max,
                direction,
                bytes,
                offset,
                priority,
                issued_ns,
            });
        };
        if self.kinds.bandwidth {
            let kib = (sum.bytes as f64 / 1024.0 / seconds).round() as u64;
            push(LogKind::Bandwidth, kib, kib);
        }
        if self.kinds.iops {
            let iops = (sum.ios as f64 / seconds).round() as u64;
            push(LogKind::Iops, iops, iops);
        }
        if self.kinds.latency {
            let slat = self.kinds.submission.then_some((LogKind::Submission, sum.slat));
            let rest = [(LogKind::Completion, sum.clat), (LogKind::Total, sum.total)];
            // Without I/O there is no latency, and no line, as in fio.
            for (kind, l) in slat.into_iter().chain(rest).filter(|_| sum.ios > 0) {
                push(kind, l.sum / sum.ios, l.max);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(window_ns: u64) -> LogBuffer {
        let kinds = LogKinds { bandwidth: true, iops: true, latency: true, submission: false };
        LogBuffer::new(kinds, window_ns, PerDirection { read: true, write: false, trim: false })
    }

    /// A read of 4 KiB that took 1 µs.
    fn at(at_ns: u64) -> LoggedIo {
        LoggedIo {
            at_ns,
            offset: 8192,
            submission_ns: 0,
            completion_ns: 1000,
            bytes: 4096,
            direction: Direction::Read,
            priority: 0,
        }
    }

    fn lines(log: &mut LogBuffer) -> Vec<LogSample> {
        let mut lines = Vec::new();
        if let Some(chunk) = log.take(0) {
            for kind in LogKind::OF_VALUES {
                chunk.each(kind, |line| lines.push(line));
            }
        }
        lines
    }

    fn iops(log: &mut LogBuffer) -> Vec<(u64, u64)> {
        let all = lines(log);
        all.iter().filter(|s| s.kind == LogKind::Iops).map(|s| (s.at_ns, s.value)).collect()
    }

    #[test]
    fn a_stalled_window_yields_lines_of_zero() {
        let mut log = buffer(100);
        log.add(&at(10));
        log.add(&at(250));
        assert_eq!(iops(&mut log), [(100, 10_000_000), (200, 0)]);
    }

    #[test]
    fn the_last_window_counts_over_the_time_it_lasted() {
        let mut log = buffer(1_000_000_000);
        for _ in 0..5 {
            log.add(&at(1_050_000_000));
        }
        log.finish(1_100_000_000);
        assert_eq!(iops(&mut log), [(1_000_000_000, 0), (1_100_000_000, 50)]);
    }

    /// All lines together have every I/O, however short the last window is.
    #[test]
    fn a_short_last_window_has_a_line_of_its_own() {
        const MS: u64 = 1_000_000;
        for (last_ms, end_ns, expected) in [
            (1_050, 1_099 * MS, Some((1_099 * MS, 10))),
            (1_001, 1_001 * MS, Some((1_001 * MS, 1000))),
            // Its line would have the time of the line before it.
            (1_000, 1_000 * MS + 900_000, None),
            // Nothing completed in it.
            (900, 1_050 * MS, None),
            (900, 1_800 * MS, Some((1_800 * MS, 0))),
        ] {
            let mut log = buffer(1_000 * MS);
            log.add(&at(500 * MS));
            log.add(&at(last_ms * MS));
            log.finish(end_ns);
            assert_eq!(iops(&mut log).get(1).copied(), expected, "the last I/O at {last_ms} ms");
        }
    }

    #[test]
    fn without_a_window_every_io_has_its_lines() {
        let mut log = buffer(0);
        log.add(&at(10));
        let lines: Vec<(LogKind, u64)> = lines(&mut log).iter().map(|s| (s.kind, s.value)).collect();
        let kib_per_s = 4096 * 1_000_000 / 1024;
        assert_eq!(
            lines,
            [
                (LogKind::Bandwidth, kib_per_s),
                (LogKind::Iops, 1),
                (LogKind::Completion, 1000),
                (LogKind::Total, 1000)
            ]
        );
    }

    #[test]
    fn a_writer_that_is_behind_is_waited_for_and_the_wait_is_told() {
        let mut log = buffer(0);
        let mut unwritten = Vec::new();
        for _ in 1..BUFFERS {
            while !log.add(&at(10)) {}
            unwritten.extend(log.take(0));
        }
        assert!(log.notes().is_empty(), "there was a buffer each time");
        let writer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            drop(unwritten);
        });
        while !log.add(&at(10)) {}
        assert_eq!(log.take(0).map(|chunk| chunk.ios.len()), Some(ENTRIES), "nothing is lost");
        writer.join().unwrap();
        assert!(
            matches!(log.notes().as_slice(), [(name, _)] if name == "log.waited_ns"),
            "{:?}",
            log.notes()
        );
    }
}
