//! What a trace says, whatever its form.

use super::{DefectKind, TRANSFER_MAX, TraceDefect, TracePlace};

/// What a data operation or a sync of a trace does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceOp {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Trims.
    Trim,
    /// fsync.
    Sync,
    /// fdatasync.
    Datasync,
}

impl TraceOp {
    /// Is it one of the fsync family?
    pub fn is_sync(self) -> bool {
        matches!(self, TraceOp::Sync | TraceOp::Datasync)
    }
}

/// What a line says. Files are numbers into the list of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceEvent {
    /// A file exists.
    Add(usize),
    /// It is opened.
    Open(usize),
    /// It is closed.
    Close(usize),
    /// An I/O.
    Io {
        /// What it does.
        op: TraceOp,
        /// Its file.
        file: usize,
        /// First byte.
        offset: u64,
        /// Bytes; 0 for a sync.
        len: u64,
    },
    /// What follows comes this many microseconds after the wait before it, or after the start.
    Wait(u64),
}

/// A line of a trace, or an event of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceLine {
    /// Where it is.
    pub at: TracePlace,
    /// Its time in nanoseconds; in version 2 of fio's text there is none.
    pub at_ns: Option<u64>,
    /// What it says.
    pub event: TraceEvent,
}

/// Can one system call do an I/O there?
///
/// # Errors
/// It is empty, too long, or goes beyond 64 bits.
#[inline]
pub(super) fn check_extent(offset: u64, len: u64) -> Result<(), DefectKind> {
    match len {
        0 => Err(DefectKind::Empty),
        _ if offset.checked_add(len).is_none() => Err(DefectKind::BeyondNumbers { offset, len }),
        _ if len > TRANSFER_MAX => Err(DefectKind::TooLong(len)),
        _ => Ok(()),
    }
}

/// An I/O as block devices queue it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queued {
    /// Where it is.
    pub at: TracePlace,
    /// Its time.
    pub at_ns: u64,
    /// Its file.
    pub file: usize,
    /// The device flushes its cache first.
    pub flushes: bool,
    /// What is read, written or trimmed, from where, and how much; a flush may have none.
    pub data: Option<(TraceOp, u64, u64)>,
}

impl Queued {
    /// A write that flushes first is a sync and a write.
    pub fn events(&self) -> Result<impl Iterator<Item = TraceLine> + use<>, TraceDefect> {
        let Queued { at, at_ns, file, flushes, data } = *self;
        if let Some((_, offset, len)) = data {
            check_extent(offset, len).map_err(|kind| TraceDefect { at, kind })?;
        }
        let sync = flushes.then_some((TraceOp::Sync, 0, 0));
        let event = move |(op, offset, len)| TraceEvent::Io { op, file, offset, len };
        Ok(sync.into_iter().chain(data).map(move |io| TraceLine { at, at_ns: Some(at_ns), event: event(io) }))
    }
}
