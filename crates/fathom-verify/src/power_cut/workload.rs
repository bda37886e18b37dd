//! What is written: the next write or flush, from what is in flight. It decides and numbers; the caller does the I/O.
//!
//! The region is first written once in order, and flushed, so that after it every unit has a write that must not be lost.
//! Then half of the writes go to random places, a quarter goes on in order, and a quarter goes to places that were
//! written lately, so that a unit has several writes of which only some are durable.
//!
//! No two writes of a unit are in flight together, because it would not be known which of them is the last. A flush is
//! issued while writes are in flight, as programs do it.

use super::log::{FlushMode, LogHeader, Record};
use crate::scramble::mix;

/// One write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutWrite {
    /// Its number in the order in which writes are issued.
    pub number: u64,
    /// Its first byte.
    pub offset: u64,
    /// How many units it has.
    pub units: u16,
    /// Has it FUA?
    pub fua: bool,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Issue this write.
    Write(CutWrite),
    /// Log this start of a flush, then issue the flush.
    Flush {
        /// Its number.
        flush: u64,
        /// What is logged before it is issued.
        begun: Record,
    },
    /// Nothing can be issued before something that is in flight is complete.
    Wait,
}

/// How the region is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkloadTerms {
    /// The longest write, in units.
    pub units_max: u16,
    /// Units of a write of the first pass.
    pub first_pass_units: u16,
}

/// Places that are remembered to be written again: about as many as are written between two flushes.
const RECENT: usize = 32;

/// How often another place is drawn if something there is in flight.
const DRAWS: u32 = 8;

/// The state of the writer.
#[derive(Debug)]
pub struct Workload {
    terms: WorkloadTerms,
    flush: FlushMode,
    start: u64,
    unit: u64,
    /// Units of the region.
    units: u64,
    /// The state of the generator of random numbers.
    draws: u64,
    key: u64,
    next_write: u64,
    next_flush: u64,
    in_flight: Vec<CutWrite>,
    is_flushing: bool,
    /// Units of the first pass that were issued; the pass is over when its flush is complete.
    first_pass: u64,
    is_first_pass: bool,
    since_flush: u32,
    /// Where the writes in order go on, in units.
    in_order: u64,
    /// First units of the last writes.
    recent: [u64; RECENT],
}

impl Workload {
    /// Before the first write.
    pub fn new(header: &LogHeader, terms: WorkloadTerms) -> Workload {
        Workload {
            terms,
            flush: header.flush,
            start: header.start,
            unit: header.unit.into(),
            units: header.units(),
            draws: 0,
            key: header.key,
            next_write: 0,
            next_flush: 0,
            in_flight: Vec::new(),
            is_flushing: false,
            first_pass: 0,
            is_first_pass: true,
            since_flush: 0,
            in_order: 0,
            recent: [0; RECENT],
        }
    }

    /// How many writes were issued.
    pub fn issued(&self) -> u64 {
        self.next_write
    }

    /// Is the region still written for the first time?
    pub fn is_first_pass(&self) -> bool {
        self.is_first_pass
    }

    /// What to do next. What is returned counts as issued.
    pub fn next_act(&mut self) -> Act {
        if self.is_first_pass {
            return self.next_of_first_pass();
        }
        if let FlushMode::Every { writes } = self.flush
            && self.since_flush >= writes.max(1)
            && !self.is_flushing
        {
            return self.begin_flush();
        }
        for _ in 0..DRAWS {
            let (first, units) = self.draw();
            if !self.is_busy(first, units) {
                return Act::Write(self.issue(first, units));
            }
        }
        Act::Wait
    }

    /// A write is complete; returns what is logged.
    pub fn written(&mut self, write: &CutWrite) -> Record {
        self.in_flight.retain(|other| other.number != write.number);
        let CutWrite { number, offset, units, fua } = *write;
        Record::Written { write: number, offset, units, fua }
    }

    /// A flush is complete; returns what is logged.
    pub fn flushed(&mut self, flush: u64) -> Record {
        (self.is_flushing, self.is_first_pass) = (false, false);
        Record::FlushDone { flush, next_write: self.next_write }
    }

    fn next_of_first_pass(&mut self) -> Act {
        if self.first_pass < self.units {
            let left = self.units - self.first_pass;
            let units = u64::from(self.terms.first_pass_units.max(1)).min(left) as u16;
            let first = self.first_pass;
            self.first_pass += u64::from(units);
            return Act::Write(self.issue(first, units));
        }
        if self.in_flight.is_empty() && !self.is_flushing { self.begin_flush() } else { Act::Wait }
    }

    fn begin_flush(&mut self) -> Act {
        let flush = self.next_flush;
        (self.next_flush, self.is_flushing, self.since_flush) = (flush + 1, true, 0);
        Act::Flush { flush, begun: Record::FlushBegun { flush, next_write: self.next_write } }
    }

    fn issue(&mut self, first: u64, units: u16) -> CutWrite {
        let fua = self.flush == FlushMode::Fua && !self.is_first_pass && self.random(2) == 1;
        let write = CutWrite { number: self.next_write, offset: self.start + first * self.unit, units, fua };
        self.recent[self.next_write as usize % RECENT] = first;
        self.next_write += 1;
        self.since_flush += 1;
        self.in_flight.push(write);
        write
    }

    /// The first unit and the length of a write.
    fn draw(&mut self) -> (u64, u16) {
        let longest = u64::from(self.terms.units_max.max(1)).min(self.units);
        let units = 1 + self.random(longest);
        let last = self.units - units;
        let first = match self.random(4) {
            0 => {
                let first = if self.in_order > last { 0 } else { self.in_order };
                self.in_order = first + units;
                first
            }
            1 => self.recent[self.random(RECENT as u64) as usize].min(last),
            _ => self.random(last + 1),
        };
        (first, units as u16)
    }

    fn is_busy(&self, first: u64, units: u16) -> bool {
        let end = first + u64::from(units);
        self.in_flight.iter().any(|write| {
            let other = (write.offset - self.start) / self.unit;
            other < end && first < other + u64::from(write.units)
        })
    }

    /// A random number below `below`.
    fn random(&mut self, below: u64) -> u64 {
        self.draws += 1;
        mix(self.key ^ mix(self.draws)) % below.max(1)
    }
}
