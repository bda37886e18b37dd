//! A zone, what a job asks of its place in one, and the answer.

use std::ops::Range;

/// A zone. Places are in bytes from the start of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Its first byte.
    pub start: u64,
    /// Bytes that can be written.
    pub capacity: u64,
    /// It has a write pointer.
    pub is_sequential: bool,
    /// Where the next write goes, behind what is in flight.
    pub pointer: u64,
    /// Where what was written ends.
    pub written: u64,
    /// A write or a reset is in flight.
    pub(super) is_busy: bool,
    /// Reads in flight.
    pub(super) reads: u32,
    /// A write failed, and the write pointer of the device is not known.
    pub(super) is_lost: bool,
    /// The device takes neither a write nor a reset there, because it is read-only or offline.
    pub(super) is_broken: bool,
    /// It is partly written.
    pub(super) is_open: bool,
    /// The job that began to write it.
    pub(super) opened_by: Option<u32>,
}

impl Zone {
    /// A sequential zone that is written up to `pointer`.
    pub fn sequential(start: u64, capacity: u64, pointer: u64) -> Zone {
        Zone {
            start,
            capacity,
            is_sequential: true,
            pointer,
            written: pointer,
            is_busy: false,
            reads: 0,
            is_lost: false,
            is_broken: false,
            is_open: false,
            opened_by: None,
        }
    }

    /// A zone that can be written anywhere.
    pub fn conventional(start: u64, capacity: u64) -> Zone {
        Zone { is_sequential: false, ..Zone::sequential(start, capacity, start) }
    }

    /// The same, read-only; or offline, if nothing of it is written.
    pub fn broken(self) -> Zone {
        Zone { is_broken: true, is_lost: true, ..self }
    }

    /// Behind the last byte that can be written.
    pub fn end(&self) -> u64 {
        self.start + self.capacity
    }

    pub(super) fn left(&self) -> u64 {
        self.end().saturating_sub(self.pointer)
    }

    /// Is it partly written, and not open?
    pub(super) fn is_closed(&self) -> bool {
        !self.is_open && self.is_sequential && self.pointer > self.start && self.left() > 0
    }

    pub(super) fn is_at_rest(&self) -> bool {
        !self.is_busy && self.reads == 0
    }
}

/// What a job asks of every place.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Plan id of the job.
    pub job: u32,
    /// The zones of its region.
    pub range: Range<usize>,
    /// Its smallest write, and its smallest read.
    pub least_write: u64,
    /// See [`Terms::least_write`].
    pub least_read: u64,
    /// Most open zones; 0 is no limit.
    pub open_max: u32,
    /// Most open zones of this job; 0 is no limit.
    pub own_open_max: u32,
    /// Reads go beyond write pointers.
    pub reads_beyond: bool,
    /// Writes the end of a zone that is too short for a block.
    pub writes_remainder: bool,
    /// Goes on in a zone after a failed write.
    pub recovers: bool,
    /// Share of the region with data from which on zones are reset.
    pub reset_threshold: f64,
    /// Writes for each reset from there on; 0 is none.
    pub reset_every: u64,
    /// Writes until the next such reset.
    pub reset_left: u64,
    /// Zones that were reset for a write.
    pub resets: u64,
}

/// Where an I/O goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placing {
    /// Offset and length.
    At(u64, u64),
    /// Nowhere until something in flight is complete.
    Blocked,
    /// The zone has no room left.
    ZoneOver,
    /// Nowhere.
    Nowhere,
}
