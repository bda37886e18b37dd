//! Traces: I/Os that were recorded once and are issued again (`read_iolog`).
//!
//! Pure, and streamed: the caller hands out the bytes of the file, piece by piece, and no more than a piece of them is in memory. A trace
//! is read twice by the same code: before the run for its [`TraceFacts`], by which the targets are admitted, and while it is replayed.

mod iolog;
mod lines;
mod replay;
mod scan;
#[cfg(test)]
mod tests;

pub use iolog::{Iolog, TraceEvent, TraceLine, TraceOp};
pub use lines::TraceLines;
pub use replay::{Replay, ReplayTerms, ReplayedIo};
pub use scan::{TraceFacts, TraceFile, scan};

/// The first line of fio's text of version 2.
pub const HEADER_2: &str = "fio version 2 iolog";
/// The first line of fio's text of version 3.
pub const HEADER_3: &str = "fio version 3 iolog";

/// The longest read or write of one system call (`MAX_RW_COUNT` of linux/fs.h).
pub const TRANSFER_MAX: u64 = 0x7fff_f000;

/// What is wrong with a trace, and in which line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {kind}")]
pub struct TraceDefect {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong.
    pub kind: DefectKind,
}

/// What is wrong with a trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefectKind {
    /// The bytes cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// It is no trace of a known version.
    #[error("it does not begin with `{HEADER_2}` or `{HEADER_3}`")]
    NoVersion,
    /// The last line has no end.
    #[error("the file ends within this line")]
    Cut,
    /// A line is too long to be one of a trace.
    #[error("it has more than {} bytes", lines::LINE_MAX)]
    LongLine,
    /// It does not have as many words as an action has.
    #[error("it has {words} words, and {expected}")]
    Words {
        /// Words of the line.
        words: usize,
        /// What a line of this version has.
        expected: &'static str,
    },
    /// No action has this name.
    #[error("there is no action `{0}`")]
    UnknownAction(String),
    /// A word is not a number of at most 64 bits, where one has to be.
    #[error("the {what} `{word}` is not a number of at most 64 bits")]
    NoNumber {
        /// What the word is.
        what: &'static str,
        /// The word.
        word: String,
    },
    /// A time is before that of the line before.
    #[error("its time, {now} µs, is before that of the line before it, {before} µs")]
    TimeGoesBack {
        /// Its time.
        now: u64,
        /// The time before it.
        before: u64,
    },
    /// The I/O is to a file that is not open there.
    #[error("the file {0} is not open here: there is no `add` and `open` of it before")]
    NotOpen(String),
    /// A file is opened or closed that was not added.
    #[error("there is no `add` of the file {0} before")]
    NotAdded(String),
    /// An I/O of no bytes.
    #[error("an I/O has at least one byte")]
    Empty,
    /// A length that no system call moves.
    #[error("an I/O of {0} bytes is more than one system call moves")]
    TooLong(u64),
    /// The end does not fit into 64 bits.
    #[error("offset {offset} and length {len} go beyond 64 bits")]
    BeyondNumbers {
        /// First byte.
        offset: u64,
        /// Bytes.
        len: u64,
    },
    /// More waiting than 64 bits of nanoseconds.
    #[error("its time is more than 500 years")]
    TimeBeyondNumbers,
    /// Nothing to replay.
    #[error("there is no I/O to replay before the end of the file")]
    NoIo,
}
