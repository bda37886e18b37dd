//! Traces: I/Os that were recorded once and are issued again (`read_iolog`).
//!
//! Pure, and streamed: the caller hands out the bytes of the file, piece by piece, and no more than a piece of them is in memory. A trace
//! is read twice by the same code: before the run for its [`TraceFacts`], by which the targets are admitted, and while it is replayed.
//!
//! The code is generic in where bytes come from, and what each line of fio's text needs is `inline`: so it is compiled in the engine, which is
//! optimised for speed, and not here (`fathom_engine::target::trace_facts`).

mod blktrace;
mod columns;
mod event;
mod form;
mod in_order;
mod iolog;
mod lines;
mod merged;
mod replay;
mod scan;
#[cfg(test)]
mod tests;

pub use blktrace::Blktrace;
pub use columns::{Columns, TraceColumns};
pub use event::{TraceEvent, TraceLine, TraceOp};
pub use iolog::Iolog;
pub use lines::TraceLines;
pub use merged::{MergeTerms, write_merged};
pub(crate) use replay::SKIPPED;
pub use replay::{Replay, ReplayTerms, ReplayedIo};
pub use scan::{TraceFacts, TraceFile, scan};

use std::fmt;
use std::io::{self, Read};

/// The first line of fio's text of version 2.
pub const HEADER_2: &str = "fio version 2 iolog";
/// The first line of fio's text of version 3.
pub const HEADER_3: &str = "fio version 3 iolog";

/// The longest read or write of one system call (`MAX_RW_COUNT` of linux/fs.h).
pub const TRANSFER_MAX: u64 = 0x7fff_f000;

const NS_PER_US: u64 = 1000;

/// A place in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracePlace {
    /// `line` or `event`.
    unit: &'static str,
    /// Its number, from 1.
    number: u64,
    /// Of merged traces the number of the trace, from 1; else 0.
    part: u32,
}

impl TracePlace {
    /// A line.
    #[inline]
    pub fn line(number: u64) -> Self {
        TracePlace { unit: "line", number, part: 0 }
    }

    /// An event of a recording.
    pub fn event(number: u64) -> Self {
        TracePlace { unit: "event", number, part: 0 }
    }

    /// The same in a trace that is merged with others.
    fn of_part(self, part: usize) -> Self {
        TracePlace { part: part as u32 + 1, ..self }
    }
}

impl fmt::Display for TracePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            0 => write!(f, "{} {}", self.unit, self.number),
            part => write!(f, "trace {part} of those merged, {} {}", self.unit, self.number),
        }
    }
}

/// Reads a piece of a trace; 0 bytes are its end.
fn read_piece(input: &mut impl Read, into: &mut [u8]) -> Result<usize, String> {
    loop {
        match input.read(into) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            read => return read.map_err(|e| e.to_string()),
        }
    }
}

/// What is wrong with a trace, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {kind}")]
pub struct TraceDefect {
    /// Where.
    pub at: TracePlace,
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
    #[error(
        "it does not begin with `{HEADER_2}` or `{HEADER_3}`, and is no recording of blktrace; trace_columns= reads other texts"
    )]
    NoVersion,
    /// Merged traces are recordings of blktrace.
    #[error("it is no recording of blktrace, and merge_blktrace_file merges no others")]
    NotBlktrace,
    /// A recording of another version of blktrace.
    #[error("it is of version {0} of blktrace, and version 7 is read")]
    OtherBlktrace(u32),
    /// An event does not begin as one does.
    #[error("it does not begin with the magic number of blktrace")]
    NoMagic,
    /// The last line or event has no end.
    #[error("the file ends within it")]
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
    /// A time is far before one that came before it.
    #[error(
        "its time, {now} ns, is before {before} ns, which came more than {} I/Os before it; `blkparse -i NAME -d FILE` puts the files of \
         several CPUs in one order",
        in_order::WINDOW
    )]
    TimeFarBack {
        /// Its time.
        now: u64,
        /// The time before it.
        before: u64,
    },
    /// A line does not have all columns.
    #[error("it has {fields} fields, and trace_columns names {columns}")]
    Fields {
        /// Fields of the line.
        fields: usize,
        /// Columns that the line has to have.
        columns: usize,
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

impl DefectKind {
    /// What to do about it, where that is known.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Words { .. } | Self::UnknownAction(_) => {
                "a line of fio's text is TIME FILE ACTION or TIME FILE ACTION OFFSET LENGTH, with add, open, close, read, write, \
                 trim, sync or datasync, and no priority; trace_columns= reads other texts, and leaves out each column that \
                 it calls `-`"
            }
            Self::Fields { .. } => {
                "trace_columns names every column of a line; a column that it calls `-` is left out"
            }
            Self::NotOpen(_) | Self::NotAdded(_) => {
                "lines such as `0 FILE add` and `0 FILE open` stand before the first I/O of a file"
            }
            Self::TimeGoesBack { .. } => "sort -n puts the lines of a text in the order of their times",
            Self::Cut => "the end of the file is missing: record or copy the trace again",
            _ => return None,
        })
    }
}

/// Why a trace cannot be replayed, in words, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFault {
    /// Why.
    pub message: String,
    /// What to do.
    pub hint: Option<&'static str>,
}

impl From<TraceDefect> for TraceFault {
    fn from(defect: TraceDefect) -> Self {
        TraceFault { message: defect.to_string(), hint: defect.kind.hint() }
    }
}

impl From<io::Error> for TraceFault {
    fn from(why: io::Error) -> Self {
        TraceFault { message: why.to_string(), hint: None }
    }
}
