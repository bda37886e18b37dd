//! The SLC cache: what of it is used, and what the next word line costs.
//!
//! The cache is a matter of time and wear, not of mapping: a unit has its final slot at once, and is *cached*
//! while less has been written after it than the cache holds. Folding it later is a program without a new
//! slot.

use crate::model::{SlcFull, SlcModel};
use crate::translation::FlashSpace;

/// How a word line of the host is programmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// To its final place.
    Native,
    /// To the cache.
    Slc,
    /// To the cache, after as much has been folded.
    Fold,
}

#[derive(Debug)]
pub(super) struct SlcCache {
    fixed_units: u64,
    dynamic_units: u64,
    full: SlcFull,
    idle_ns: u64,
    used_units: u64,
    /// Units that the host wrote so far, and how many it had when each block was opened; `u64::MAX` for
    /// blocks of collected units.
    host_units: u64,
    opened_at: Vec<u64>,
    block_units: u32,
}

impl SlcCache {
    pub fn new(model: SlcModel, space: &FlashSpace, unit_bytes: u64, scale: u32) -> Self {
        let units = |bytes: u64| bytes / unit_bytes / u64::from(scale);
        Self {
            fixed_units: units(model.fixed_bytes),
            dynamic_units: units(model.dynamic_bytes),
            full: model.full,
            idle_ns: model.idle_ns,
            used_units: 0,
            host_units: 0,
            opened_at: vec![u64::MAX; space.blocks() as usize],
            block_units: space.block_units(),
        }
    }

    /// Units that the cache can hold when `mapped` of `of` units are: fixed + dynamic · max(0, 1 − fill /
    /// 0.75).
    pub fn size_units(&self, mapped: u32, of: u32) -> u64 {
        let (mapped, three_quarters) = (u64::from(mapped) * 4, u64::from(of) * 3);
        let left = u128::from(three_quarters.saturating_sub(mapped));
        self.fixed_units + (u128::from(self.dynamic_units) * left / u128::from(three_quarters)) as u64
    }

    pub fn used_units(&self) -> u64 {
        self.used_units
    }

    /// The host's unit has been put into `slot`.
    pub fn host_placed(&mut self, slot: u32) {
        if slot.is_multiple_of(self.block_units) {
            self.opened_at[(slot / self.block_units) as usize] = self.host_units;
        }
        self.host_units += 1;
    }

    /// A collected unit has been put into `slot`.
    pub fn collected_placed(&mut self, slot: u32) {
        if slot.is_multiple_of(self.block_units) {
            self.opened_at[(slot / self.block_units) as usize] = u64::MAX;
        }
    }

    /// Whether the unit in `slot` is read from the cache.
    pub fn holds(&self, slot: u32) -> bool {
        let opened = self.opened_at[(slot / self.block_units) as usize];
        let written = opened.saturating_add(u64::from(slot % self.block_units));
        written < self.host_units && self.host_units - written <= self.used_units
    }

    /// A word line of the host, when the cache can hold `size_units`.
    pub fn admit(&mut self, line_units: u64, size_units: u64) -> Mode {
        if self.used_units + line_units <= size_units {
            self.used_units += line_units;
            return Mode::Slc;
        }
        match self.full {
            SlcFull::Direct => Mode::Native,
            SlcFull::Fold => Mode::Fold,
        }
    }

    /// The drive had nothing to do for `idle_ns`, and folds a word line in `line_ns`; gives the units that it
    /// folded.
    pub fn fold_idle(&mut self, idle_ns: u64, line_units: u64, line_ns: u64) -> u64 {
        if self.used_units == 0 || idle_ns <= self.idle_ns {
            return 0;
        }
        let lines = (idle_ns - self.idle_ns) / line_ns.max(1);
        let folded = lines.saturating_mul(line_units).min(self.used_units);
        self.used_units -= folded;
        folded
    }
}

// The write buffer: a write is complete when it is here.
//
// Data leaves the buffer a word line at a time, in the order of arrival. The lines form a ring, so that a
// line begins when the one that had its place is programmed. That takes constant time for each unit, and
// nothing is sorted.

#[derive(Debug)]
pub(super) struct WriteBuffer {
    /// When the word line that has each place is programmed.
    freed_ns: Vec<u64>,
    line_units: u32,
    place: usize,
    /// Units in the line that is being filled.
    filled: u32,
    /// When the newest unit in it arrived.
    arrived_ns: u64,
    /// When all programs of the host's data end.
    programmed_ns: u64,
    /// Units that no program and no flush has yet made safe.
    unsafe_units: u32,
}

impl WriteBuffer {
    pub fn new(lines: u64, line_units: u32) -> Self {
        let freed_ns = vec![0; lines as usize];
        Self { freed_ns, line_units, place: 0, filled: 0, arrived_ns: 0, programmed_ns: 0, unsafe_units: 0 }
    }

    /// A unit that could arrive at `ready_ns` arrives, because of those before it, at the time that is
    /// returned.
    pub fn arrive(&mut self, ready_ns: u64) -> u64 {
        let arrived = ready_ns.max(self.freed_ns[self.place]);
        self.arrived_ns = self.arrived_ns.max(arrived);
        self.unsafe_units += 1;
        arrived
    }

    /// After the unit has a slot: the next one may be the first of a line.
    pub fn placed(&mut self) {
        self.filled += 1;
        if self.filled == self.line_units {
            self.filled = 0;
            self.freed_ns[self.place] = self.programmed_ns;
            self.place = (self.place + 1) % self.freed_ns.len();
        }
    }

    /// A word line of the host is programmed until `done_ns`.
    pub fn programmed(&mut self, done_ns: u64) {
        self.programmed_ns = self.programmed_ns.max(done_ns);
        self.unsafe_units = 0;
    }

    /// When a program of what has arrived may begin.
    pub fn arrived_ns(&self) -> u64 {
        self.arrived_ns
    }

    /// When all programs so far end.
    pub fn programmed_ns(&self) -> u64 {
        self.programmed_ns
    }

    /// Units that only the buffer holds.
    pub fn unsafe_units(&self) -> u32 {
        self.unsafe_units
    }
}
