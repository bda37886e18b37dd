//! fio-style logs: the values of their lines.
//!
//! The worker fills a [`LogBuffer`] with I/Os as they are and hands it over when
//! it is full or a window closes; lines are made and written elsewhere. A few
//! buffers go round between the two. A worker that finds all of them full waits
//! for one, and its result says for how long.

mod buffer;
mod histogram;
mod issued;
mod line;
mod stored;

pub use crate::desc::Op;
pub use buffer::{LogBuffer, WAITED};
pub use histogram::LogHistogram;
pub use issued::IssueLog;
pub use line::LogColumns;
pub use stored::lines_of_stored;

use fathom_job::direction::Direction;
use std::sync::mpsc::SyncSender;

/// What a log's values mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogKind {
    /// KiB/s.
    Bandwidth,
    /// I/Os per second.
    Iops,
    /// Submission latency, ns.
    Submission,
    /// Completion latency, ns.
    Completion,
    /// Total latency, ns.
    Total,
    /// Histograms of completion latencies ([`LogHistogram`]).
    Histograms,
    /// I/Os as they are issued ([`IssuedIo`]).
    Issued,
}

impl LogKind {
    /// The logs with a line for each I/O or averaging window.
    pub const OF_VALUES: [LogKind; 5] =
        [LogKind::Bandwidth, LogKind::Iops, LogKind::Submission, LogKind::Completion, LogKind::Total];
}

/// One I/O that is about to be issued (`write_iolog`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IssuedIo {
    /// Nanoseconds since the job's first I/O was issued.
    pub at_ns: u64,
    /// What it does.
    pub op: Op,
    /// Index of the job's file.
    pub file: u32,
    /// Byte offset.
    pub offset: u64,
    /// Bytes; 0 for a sync.
    pub bytes: u64,
}

impl IssuedIo {
    /// Fills a buffer before its first use, so that its pages are in memory.
    const BLANK: IssuedIo = IssuedIo { at_ns: 0, op: Op::Read, file: 0, offset: 0, bytes: 0 };
}

/// An empty buffer with room for `entries`. All of it was written once, so that no page fault happens later.
fn touched<T: Clone>(blank: T, entries: usize) -> Vec<T> {
    let mut buffer = vec![blank; entries];
    buffer.clear();
    buffer
}

/// One line of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogSample {
    /// The log that the line belongs to.
    pub kind: LogKind,
    /// Nanoseconds since the worker's measured window began.
    pub at_ns: u64,
    /// The value, or the mean of its window.
    pub value: u64,
    /// The largest value of the window.
    pub value_max: u64,
    /// Read, write or trim.
    pub direction: Direction,
    /// Block size, bytes; 0 for a window, as in fio.
    pub bytes: u64,
    /// Offset of the I/O; 0 for a window.
    pub offset: u64,
    /// Priority of the I/O as ioprio_set(2) encodes it; 0 for a window.
    pub priority: u16,
    /// Nanoseconds since the worker's measured window began when the I/O was issued; 0 for a window.
    pub issued_ns: u64,
}

/// One completed I/O, as a worker logs it: what its lines are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedIo {
    /// Nanoseconds since the worker's measured window began.
    pub at_ns: u64,
    /// Byte offset.
    pub offset: u64,
    /// Submission latency, ns.
    pub submission_ns: u64,
    /// Completion latency, ns.
    pub completion_ns: u64,
    /// Bytes moved.
    pub bytes: u64,
    /// Direction.
    pub direction: Direction,
    /// Priority as ioprio_set(2) encodes it.
    pub priority: u16,
}

impl LoggedIo {
    /// Fills a buffer before its first use, so that its pages are in memory.
    const BLANK: LoggedIo = LoggedIo {
        at_ns: 0,
        offset: 0,
        submission_ns: 0,
        completion_ns: 0,
        bytes: 0,
        direction: Direction::Read,
        priority: 0,
    };

    /// Bandwidth of an I/O with this latency, KiB/s.
    fn bandwidth(&self, total_ns: u64) -> u64 {
        match self.bytes.checked_mul(1_000_000_000) {
            Some(scaled) => scaled / 1024 / total_ns.max(1),
            None => (u128::from(self.bytes) * 1_000_000_000 / 1024 / u128::from(total_ns.max(1))) as u64,
        }
    }
}

/// Which lines a job's I/Os make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogKinds {
    /// `write_bw_log`.
    pub bandwidth: bool,
    /// `write_iops_log`.
    pub iops: bool,
    /// `write_lat_log`.
    pub latency: bool,
    /// Submission latency too: not for synchronous engines.
    pub submission: bool,
}

impl LogKinds {
    /// Does an I/O make any line?
    pub fn is_any(self) -> bool {
        self.bandwidth || self.iops || self.latency
    }

    /// Does an I/O have a line in this kind of log?
    fn has(self, kind: LogKind) -> bool {
        match kind {
            LogKind::Bandwidth => self.bandwidth,
            LogKind::Iops => self.iops,
            LogKind::Submission => self.latency && self.submission,
            LogKind::Completion | LogKind::Total => self.latency,
            LogKind::Histograms | LogKind::Issued => false,
        }
    }
}

/// What one job logged, in order: I/Os one by one or averaging windows, and histograms.
#[derive(Debug)]
pub struct LogChunk {
    /// Plan id of the job.
    pub job: u32,
    /// What is added to the times of lines, ms (`log_alternate_epoch`).
    pub epoch_ms: u64,
    /// Which lines the I/Os make.
    pub kinds: LogKinds,
    /// I/Os, where each has lines of its own.
    pub ios: Vec<LoggedIo>,
    /// Lines of averaging windows.
    pub windows: Vec<LogSample>,
    /// Histograms of windows.
    pub histograms: Vec<LogHistogram>,
    /// Where the emptied `ios` go back to.
    pub(crate) back: Option<SyncSender<Vec<LoggedIo>>>,
    /// I/Os that were issued.
    pub issued: Vec<IssuedIo>,
    /// Where the emptied `issued` go back to.
    pub(crate) issued_back: Option<SyncSender<Vec<IssuedIo>>>,
}

impl LogChunk {
    /// Nothing of a job yet.
    fn of(job: u32, kinds: LogKinds) -> LogChunk {
        let (ios, windows, histograms, issued) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        LogChunk { job, epoch_ms: 0, kinds, ios, windows, histograms, back: None, issued, issued_back: None }
    }

    /// The lines of one kind of log, but for that of histograms.
    #[inline]
    pub fn each(&self, kind: LogKind, mut line: impl FnMut(LogSample)) {
        for io in self.ios.iter().filter(|_| self.kinds.has(kind)) {
            let total_ns = io.submission_ns + io.completion_ns;
            let value = match kind {
                LogKind::Bandwidth => io.bandwidth(total_ns),
                LogKind::Submission => io.submission_ns,
                LogKind::Completion => io.completion_ns,
                LogKind::Total => total_ns,
                LogKind::Iops | LogKind::Histograms | LogKind::Issued => 1,
            };
            let &LoggedIo { at_ns, direction, offset, bytes, priority, .. } = io;
            let issued_ns = at_ns.saturating_sub(io.completion_ns);
            let value_max = value;
            line(LogSample { kind, at_ns, value, value_max, direction, bytes, offset, priority, issued_ns });
        }
        self.windows.iter().filter(|sample| sample.kind == kind).for_each(|sample| line(*sample));
    }
}

impl Drop for LogChunk {
    /// Gives the memory of the chunk back to the worker.
    fn drop(&mut self) {
        if let Some(back) = self.back.take() {
            let mut ios = std::mem::take(&mut self.ios);
            ios.clear();
            // A worker that has ended needs none.
            let _ = back.try_send(ios);
        }
        if let Some(back) = self.issued_back.take() {
            let mut issued = std::mem::take(&mut self.issued);
            issued.clear();
            let _ = back.try_send(issued);
        }
    }
}
