//! Sequential and random I/O in one zone of a file after the other (`zonemode=strided`).
//!
//! Zones begin `step` bytes apart. A visit to a zone moves `zone_size` bytes within the zone's first `range` bytes. If `range` is
//! the smaller of the two, the visit starts there again. After the last zone of the region the first one follows.

use super::stream::Stream;
use fathom_job::direction::Direction;
use fathom_job::plan::PlannedJob;

/// The zones of one file, and what the visit to the current one has moved.
#[derive(Clone, Copy, Debug)]
pub struct Strides {
    zone_size: u64,
    range: u64,
    step: u64,
    /// Bytes that this visit has moved.
    bytes: u64,
}

impl Strides {
    /// `None` if the job has no zones.
    pub fn new(plan: &PlannedJob) -> Option<Strides> {
        let zones = fathom_job::plan::strides(&plan.job)?;
        Some(Strides { zone_size: zones.size.0, range: zones.range.0, step: zones.step.0, bytes: 0 })
    }

    /// Bytes of a zone in which random I/O is placed.
    pub fn range(&self) -> u64 {
        self.range
    }

    /// Begins at the first zone again.
    pub fn rewind(&mut self) {
        self.bytes = 0;
    }

    /// Before an I/O: goes to the next zone where the visit is over. The I/O of a sequential direction that has reached the
    /// end of the zone's range goes on at its start, and so does random I/O that has filled the range.
    pub fn enter(&mut self, stream: &mut Stream, direction: Direction) {
        if self.bytes >= self.zone_size {
            self.bytes = 0;
            stream.begin_part_after(self.step);
        } else if self.bytes > 0 && self.bytes.is_multiple_of(self.range) {
            stream.rewind();
        } else if stream.is_beyond(direction, self.range) {
            stream.rewind_direction(direction);
        }
    }

    /// Counts an I/O of `len` bytes.
    pub fn count(&mut self, len: u64) {
        self.bytes += len;
    }
}
