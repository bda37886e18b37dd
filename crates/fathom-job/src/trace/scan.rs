//! What must be known of a trace before it is replayed: one pass, in constant memory.

use super::{DefectKind, Replay, ReplayTerms, TraceDefect, TraceOp, TracePlace};
use crate::direction::{Direction, PerDirection};
use std::io::{Read, Seek};

/// A file with I/O, and the I/O that ends furthest behind its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFile {
    /// Its name in the trace.
    pub name: String,
    /// End of that I/O.
    pub end: u64,
    /// Its offset.
    pub offset: u64,
    /// Where it is in the trace.
    pub at: TracePlace,
}

/// What a trace will do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceFacts {
    /// Its files with I/O, in the order of their first.
    pub files: Vec<TraceFile>,
    /// I/Os.
    pub ios: PerDirection<u64>,
    /// Their bytes.
    pub bytes: PerDirection<u64>,
    /// The shortest of each direction.
    pub smallest: PerDirection<u64>,
    /// The longest of each direction.
    pub largest: PerDirection<u64>,
    /// Syncs of the fsync family.
    pub syncs: u64,
    /// Every offset and length is a multiple of this.
    pub unit: u64,
    /// When the last I/O is meant to start, ns.
    pub last_due_ns: u64,
    /// The most I/Os that were in flight when it was recorded, if the trace says so.
    pub depth: Option<u32>,
}

/// Reads a whole trace.
///
/// # Errors
/// The first defect of it.
pub fn scan<R: Read + Seek>(inputs: Vec<R>, terms: &ReplayTerms) -> Result<TraceFacts, TraceDefect> {
    let mut replay = Replay::begin(inputs, terms)?;
    let mut facts = TraceFacts::default();
    while let Some(io) = replay.next_io()? {
        if io.file == facts.files.len() {
            facts.files.push(TraceFile { name: replay.file_name(io.file), end: 0, offset: 0, at: io.at });
        }
        facts.last_due_ns = io.due_ns;
        let Some(direction) = direction_of(io.op) else {
            facts.syncs += 1;
            continue;
        };
        let file = &mut facts.files[io.file];
        let end = io.offset.saturating_add(io.len);
        if end > file.end {
            (file.end, file.offset, file.at) = (end, io.offset, io.at);
        }
        facts.count(direction, io.offset, io.len);
    }
    if facts.ios.iter().all(|(_, ios)| *ios == 0) {
        return Err(TraceDefect { at: replay.place(), kind: DefectKind::NoIo });
    }
    facts.depth = replay.depth();
    Ok(facts)
}

impl TraceFacts {
    #[inline]
    fn count(&mut self, direction: Direction, offset: u64, len: u64) {
        self.ios[direction] += 1;
        self.bytes[direction] = self.bytes[direction].saturating_add(len);
        let smallest = &mut self.smallest[direction];
        *smallest = if *smallest == 0 { len } else { len.min(*smallest) };
        self.largest[direction] = self.largest[direction].max(len);
        if self.unit == 0 || !offset.is_multiple_of(self.unit) || !len.is_multiple_of(self.unit) {
            self.unit = divisor(divisor(self.unit, offset), len);
        }
    }
}

/// The greatest common divisor; of 0 and a number, that number.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// The direction of a data operation.
#[inline]
fn direction_of(op: TraceOp) -> Option<Direction> {
    match op {
        TraceOp::Read => Some(Direction::Read),
        TraceOp::Write => Some(Direction::Write),
        TraceOp::Trim => Some(Direction::Trim),
        TraceOp::Sync | TraceOp::Datasync => None,
    }
}
