//! What must be there after the cut: for each unit, the last write that the log says is durable.

use super::log::{Durability, LogHeader, Record};
use serde::{Deserialize, Serialize};

/// What made a write durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "by")]
pub enum Promise {
    /// A flush that began after the write was complete, and was completed.
    Flush {
        /// Its number.
        flush: u64,
    },
    /// The write had FUA, and was completed.
    Fua,
    /// The write was completed, and the target says that it has no volatile cache.
    Completion,
}

/// A write that must not be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Acknowledged {
    /// Its number.
    pub write: u64,
    /// What made it durable.
    #[serde(flatten)]
    pub promise: Promise,
}

/// A flush that was completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlushMark {
    /// Its number.
    pub flush: u64,
    /// The first write that was issued after it was complete.
    pub next_write: u64,
}

/// A record that the records before it make impossible. Its checksum is right, so the writer made an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MalformedLog {
    /// The number of the record.
    pub record: u64,
}

/// Writes of the log that are complete and not yet durable.
#[derive(Clone, Copy, Debug)]
struct Complete {
    write: u64,
    first_unit: u64,
    units: u16,
}

/// The state after some of the records of a log.
#[derive(Clone, Debug)]
pub struct History {
    header: LogHeader,
    /// For each unit the last durable write, or [`NOTHING`].
    bounds: Vec<Bound>,
    complete: Vec<Complete>,
    /// The flush that began, and what was complete at its start.
    flushing: Option<(u64, Vec<Complete>)>,
    flushes: Vec<FlushMark>,
    records: u64,
    writes: u64,
    has_ended: bool,
}

/// A durable write in 16 bytes, because a region may have hundreds of millions of units.
#[derive(Clone, Copy, Debug)]
struct Bound {
    write: u64,
    /// The number of the flush, or one of the two constants below.
    flush: u64,
}

const NOTHING: Bound = Bound { write: u64::MAX, flush: u64::MAX };
const BY_FUA: u64 = u64::MAX;
const BY_COMPLETION: u64 = u64::MAX - 1;

impl History {
    /// Before the first record.
    pub fn new(header: &LogHeader) -> History {
        History {
            bounds: vec![NOTHING; header.units() as usize],
            header: header.clone(),
            complete: Vec::new(),
            flushing: None,
            flushes: Vec::new(),
            records: 0,
            writes: 0,
            has_ended: false,
        }
    }

    /// The header of the log.
    pub fn header(&self) -> &LogHeader {
        &self.header
    }

    /// How many writes the log says were completed.
    pub fn writes(&self) -> u64 {
        self.writes
    }

    /// The flushes that were completed, in their order.
    pub fn flushes(&self) -> &[FlushMark] {
        &self.flushes
    }

    /// Did the writer end before the power was cut?
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The last durable write of a unit; `None` if nothing is promised of it.
    pub fn bound(&self, unit: u64) -> Option<Acknowledged> {
        let bound = self.bounds.get(unit as usize).filter(|bound| bound.write != NOTHING.write)?;
        let promise = match bound.flush {
            BY_FUA => Promise::Fua,
            BY_COMPLETION => Promise::Completion,
            flush => Promise::Flush { flush },
        };
        Some(Acknowledged { write: bound.write, promise })
    }

    /// Takes the next record.
    ///
    /// # Errors
    /// The record cannot follow those before it.
    pub fn add(&mut self, record: &Record) -> Result<(), MalformedLog> {
        let malformed = MalformedLog { record: self.records };
        match *record {
            Record::Written { write, offset, units, fua } => {
                let complete = self.complete(write, offset, units).ok_or(malformed)?;
                self.writes += 1;
                match (fua, self.header.durability) {
                    (true, _) => self.make_durable(complete, BY_FUA),
                    (false, Durability::AtCompletion) => self.make_durable(complete, BY_COMPLETION),
                    (false, Durability::AtFlush) => self.complete.push(complete),
                }
            }
            Record::FlushBegun { flush, .. } => {
                if self.flushing.is_some() {
                    return Err(malformed);
                }
                self.flushing = Some((flush, std::mem::take(&mut self.complete)));
            }
            Record::FlushDone { flush, next_write } => {
                let (_, covered) = self.flushing.take_if(|(begun, _)| *begun == flush).ok_or(malformed)?;
                covered.into_iter().for_each(|write| self.make_durable(write, flush));
                self.flushes.push(FlushMark { flush, next_write });
            }
            Record::Ended { .. } => self.has_ended = true,
        }
        self.records += 1;
        Ok(())
    }

    /// A write of whole units within the region.
    fn complete(&self, write: u64, offset: u64, units: u16) -> Option<Complete> {
        let unit = u64::from(self.header.unit);
        let inside = offset.checked_sub(self.header.start).filter(|inside| inside.is_multiple_of(unit))?;
        let first_unit = inside / unit;
        (units > 0 && first_unit + u64::from(units) <= self.header.units()).then_some(Complete {
            write,
            first_unit,
            units,
        })
    }

    fn make_durable(&mut self, complete: Complete, flush: u64) {
        let Complete { write, first_unit, units } = complete;
        let first = first_unit as usize;
        for bound in &mut self.bounds[first..first + usize::from(units)] {
            if bound.write == NOTHING.write || bound.write < write {
                *bound = Bound { write, flush };
            }
        }
    }
}
