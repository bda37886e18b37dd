//! fio-style logs: what a line of one is.
//!
//! The worker fills a [`LogBuffer`] and hands it over when it is full or a
//! window closes; formatting and writing happen elsewhere.

mod buffer;

pub use buffer::{LogBuffer, Logged};

use fathom_job::direction::Direction;

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
}

/// One line of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogSample {
    /// Which log.
    pub kind: LogKind,
    /// Nanoseconds since the worker's measured window began.
    pub at_ns: u64,
    /// The value, or the mean of its window.
    pub value: u64,
    /// The largest value of the window.
    pub value_max: u64,
    /// Direction.
    pub direction: Direction,
    /// Block size, bytes; 0 for a window with several I/Os of different size.
    pub bytes: u64,
    /// Offset of the I/O; 0 for a window.
    pub offset: u64,
}

/// Samples of one job, in order.
#[derive(Clone, Debug)]
pub struct LogChunk {
    /// Plan id of the job.
    pub job: u32,
    /// The lines.
    pub samples: Vec<LogSample>,
}
