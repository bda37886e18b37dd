//! The zones of one target: where the next write, read or reset may go, and what was completed.
//!
//! All rules are here, and no I/O. A write moves the write pointer of its zone when it is placed; the zone then gives no other write
//! until it is complete, and reads end at what is complete. A zone is emptied only while nothing is in flight there.

mod open;

pub use open::ZoneLimits;

use super::target::ZoneTarget;
use super::zone::{Placing, Terms, Zone};
use crate::desc::{Desc, Op};
use fathom_sim::ZoneAction;
use std::ops::Range;

/// The zones of a target.
#[derive(Debug)]
pub struct ZoneTable {
    zone_bytes: u64,
    zones: Vec<Zone>,
    /// Zones that are partly written, in the order in which they were opened.
    open: Vec<usize>,
    /// A bit for each zone that holds data.
    filled: Vec<u64>,
    /// Partly written zones that are not in that list: another run wrote them, and the jobs of this one have zones of their own.
    closed: usize,
    /// The device's limits.
    limits: ZoneLimits,
    /// Jobs that write.
    writers: u32,
    /// The zones that jobs write, and the bytes that the sequential ones of them hold.
    written_range: Range<usize>,
    data_bytes: u64,
}

impl ZoneTable {
    /// The table of these zones, which follow each other from byte 0, each `zone_bytes` behind the one before.
    pub fn new(zone_bytes: u64, zones: Vec<Zone>, limits: ZoneLimits) -> ZoneTable {
        let mut table = ZoneTable {
            zone_bytes,
            // No list grows while jobs run.
            open: Vec::with_capacity(zones.len()),
            filled: vec![0; zones.len().div_ceil(64)],
            zones,
            closed: 0,
            limits,
            writers: 0,
            written_range: 0..0,
            data_bytes: 0,
        };
        for index in 0..table.zones.len() {
            let zone = table.zones[index];
            if zone.written > zone.start || !zone.is_sequential {
                table.set_filled(index, true);
            }
            if zone.is_closed() {
                table.closed += 1;
                table.open(index, None);
            }
        }
        table
    }

    /// Empty zones of a target that has none: all whole ones of `zone_bytes`.
    pub fn empty(zone_bytes: u64, capacity: u64, target_bytes: u64) -> ZoneTable {
        let starts = (0..target_bytes / zone_bytes).map(|index| index * zone_bytes);
        let zones = starts.map(|start| Zone::sequential(start, capacity, start)).collect();
        ZoneTable::new(zone_bytes, zones, ZoneLimits::default())
    }

    /// Bytes from the start of a zone to that of the next.
    pub fn zone_bytes(&self) -> u64 {
        self.zone_bytes
    }

    /// The device's limit of open zones; 0 is none.
    pub fn open_max(&self) -> u32 {
        self.limits.open
    }

    /// All zones.
    pub fn zones(&self) -> &[Zone] {
        &self.zones
    }

    /// Zones that are partly written.
    pub fn open_count(&self) -> usize {
        self.open.len()
    }

    /// Does a job write, other than this one?
    pub fn has_other_writers(&self, is_writer: bool) -> bool {
        self.writers > u32::from(is_writer)
    }

    /// A job begins to write.
    pub fn enter(&mut self, terms: &Terms) {
        self.writers += 1;
        self.make_room(terms);
        let (range, all) = (&terms.range, &self.written_range);
        self.written_range = match all.is_empty() {
            true => range.clone(),
            false => all.start.min(range.start)..all.end.max(range.end),
        };
        let zones = self.zones[self.written_range.clone()].iter().filter(|zone| zone.is_sequential);
        self.data_bytes = zones.map(|zone| zone.pointer - zone.start).sum();
    }

    /// The zone of a place.
    pub fn index_of(&self, offset: u64) -> usize {
        (offset / self.zone_bytes) as usize
    }

    fn set_filled(&mut self, index: usize, is_filled: bool) {
        let bit = 1 << (index % 64);
        match is_filled {
            true => self.filled[index / 64] |= bit,
            false => self.filled[index / 64] &= !bit,
        }
    }

    /// A zone that holds `least` bytes to be read, for a read in a zone that does not: of those with data, the one as far along as
    /// `asked` is in the range, or the next. So all of them are read equally often. (fio takes the nearest.)
    fn readable_for(&self, asked: usize, least: u64, terms: &Terms) -> Option<usize> {
        let Range { start, end } = terms.range;
        let count = self.filled_in(start..end).count();
        let from = self.filled_in(start..end).nth((asked - start) * count / (end - start).max(1))?;
        let is_enough = |index: &usize| self.readable(*index, terms) >= least;
        self.filled_in(from..end).find(is_enough).or_else(|| self.filled_in(start..from).find(is_enough))
    }

    fn filled_in(&self, range: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let words = range.start / 64..range.end.div_ceil(64).max(range.start / 64);
        words.flat_map(move |word| {
            let (bits, range) = (self.filled[word], range.clone());
            let in_word = if bits == 0 { 0..0 } else { word * 64..word * 64 + 64 };
            in_word.filter(move |index| bits & 1 << (index % 64) != 0 && range.contains(index))
        })
    }

    /// Bytes of a zone that can be read now, from its start.
    fn readable(&self, index: usize, terms: &Terms) -> u64 {
        let zone = &self.zones[index];
        if !zone.is_sequential || (terms.reads_beyond && !zone.is_broken) {
            self.zone_bytes
        } else {
            zone.written - zone.start
        }
    }

    /// The place of a random read that would be at `wanted`: at the same place of its zone, as far as that is written, or in the next zone
    /// that holds data.
    pub fn random_read(&mut self, wanted: u64, len: u64, terms: &Terms) -> Placing {
        let least = terms.least_read.min(len);
        let asked = self.index_of(wanted);
        let index = match self.readable(asked, terms) >= least {
            true => asked,
            false => match self.readable_for(asked, least, terms) {
                Some(index) => index,
                None => return Placing::Nowhere,
            },
        };
        let readable = self.readable(index, terms);
        let len = len.min(readable - readable % least);
        let places = (readable - len) / least + 1;
        let offset = self.zones[index].start + (wanted % self.zone_bytes / least % places) * least;
        self.zones[index].reads += 1;
        Placing::At(offset, len)
    }

    /// Has a sequential read at `at` of a zone nothing more to read there?
    pub fn is_read(&self, index: usize, at: u64, terms: &Terms) -> bool {
        let Some(zone) = self.zones.get(index) else { return true };
        (zone.start + self.readable(index, terms)).saturating_sub(at) < terms.least_read
    }

    /// A sequential read at `at` in a zone.
    pub fn read_at(&mut self, index: usize, at: u64, len: u64, terms: &Terms) -> Placing {
        let least = terms.least_read.min(len);
        let left = (self.zones[index].start + self.readable(index, terms)).saturating_sub(at);
        if left < least {
            return Placing::ZoneOver;
        }
        self.zones[index].reads += 1;
        Placing::At(at, len.min(left - left % least))
    }

    /// The place of a random write that would be at `wanted`: at the write pointer of its zone; if that zone is in use or may not be opened,
    /// of a zone that is open; if all of those are in use, of the next zone that may be opened.
    ///
    /// # Errors
    /// A zone could not be reset.
    pub fn random_write(
        &mut self,
        wanted: u64,
        len: u64,
        terms: &mut Terms,
        target: &ZoneTarget,
    ) -> Result<Placing, String> {
        let asked = self.index_of(wanted);
        if !self.zones[asked].is_sequential {
            return Ok(self.conventional_write(asked, wanted, len));
        }
        match self.zone_to_write(asked, terms) {
            Some(index) if self.zones[index].is_sequential => self.write_in(index, len, terms, target),
            Some(index) => Ok(self.conventional_write(index, self.zones[index].start, len)),
            None => Ok(self.nowhere_to_write(terms)),
        }
    }

    fn conventional_write(&self, index: usize, wanted: u64, len: u64) -> Placing {
        let Zone { start, capacity, .. } = self.zones[index];
        Placing::At(wanted.min(start + capacity - len), len)
    }

    fn zone_to_write(&self, asked: usize, terms: &Terms) -> Option<usize> {
        let may_write = |index: &usize| self.takes_write(*index, terms) && self.may_open(*index, terms);
        if may_write(&asked) {
            return Some(asked);
        }
        let Range { start, end } = terms.range;
        let count = self.open.len();
        let from = (asked - start) * count / (end - start).max(1);
        let open = (0..count).map(|step| self.open[(from + step) % count]);
        let of_region = |index: &usize| terms.range.contains(index);
        let mut usable = open.filter(of_region).filter(|index| self.takes_write(*index, terms));
        usable.next().or_else(|| (asked + 1..end).chain(start..asked).find(may_write))
    }

    /// Can a write be placed in this zone now, if it may be open?
    fn takes_write(&self, index: usize, terms: &Terms) -> bool {
        let zone = &self.zones[index];
        let has_room = zone.left() >= terms.least_write || (terms.writes_remainder && zone.left() > 0);
        !zone.is_busy && !zone.is_lost && (has_room || zone.reads == 0)
    }

    /// Something in flight may end this, or another job.
    fn nowhere_to_write(&self, terms: &Terms) -> Placing {
        let is_in_use = self.zones[terms.range.clone()].iter().any(|zone| !zone.is_at_rest());
        if is_in_use || self.writers > 1 { Placing::Blocked } else { Placing::Nowhere }
    }

    /// The next sequential write in a zone. A zone that is full is emptied if it is `new` to the pass; else it is over.
    ///
    /// # Errors
    /// A zone could not be reset.
    pub fn sequential_write(
        &mut self,
        index: usize,
        len: u64,
        is_new: bool,
        terms: &mut Terms,
        target: &ZoneTarget,
    ) -> Result<Placing, String> {
        let zone = self.zones[index];
        let is_full = zone.left() < terms.least_write && !(terms.writes_remainder && zone.left() > 0);
        if zone.is_lost || (is_full && !is_new && !zone.is_busy) {
            return Ok(Placing::ZoneOver);
        }
        if !self.takes_write(index, terms) {
            return Ok(Placing::Blocked);
        }
        match self.may_open(index, terms) {
            true => self.write_in(index, len, terms, target),
            false => match self.zone_to_write(index, terms) {
                Some(other) => self.write_in(other, len, terms, target),
                None => Ok(self.nowhere_to_write(terms)),
            },
        }
    }

    /// Places a write in a zone that takes one and may be open.
    fn write_in(
        &mut self,
        index: usize,
        len: u64,
        terms: &mut Terms,
        target: &ZoneTarget,
    ) -> Result<Placing, String> {
        let has_block = self.zones[index].left() >= terms.least_write;
        let is_end = !has_block && terms.writes_remainder && self.zones[index].left() > 0;
        if (!has_block && !is_end) || self.is_reset_due(index, terms) {
            self.reset(index, target)?;
            terms.resets += 1;
        }
        let zone = &mut self.zones[index];
        let left = zone.left();
        let len = if is_end { left.min(len) } else { len.min(left - left % terms.least_write) };
        if len == 0 {
            // Its capacity is less than a block.
            zone.is_lost = true;
            return Ok(Placing::Nowhere);
        }
        let offset = zone.pointer;
        self.open(index, Some(terms.job));
        let zone = &mut self.zones[index];
        (zone.pointer, zone.is_busy) = (offset + len, true);
        if self.written_range.contains(&index) {
            self.data_bytes += len;
        }
        Ok(Placing::At(offset, len))
    }

    /// Counts a write for `zone_reset_frequency`, and says whether it empties its zone first.
    fn is_reset_due(&self, index: usize, terms: &mut Terms) -> bool {
        let region = (terms.range.len() as u64 * self.zone_bytes) as f64;
        if terms.reset_every == 0 || (self.data_bytes as f64) < region * terms.reset_threshold {
            return false;
        }
        terms.reset_left = terms.reset_left.saturating_sub(1);
        let zone = &self.zones[index];
        if terms.reset_left > 0 || !zone.is_at_rest() {
            return false;
        }
        terms.reset_left = terms.reset_every;
        zone.pointer > zone.start
    }

    fn reset(&mut self, index: usize, target: &ZoneTarget) -> Result<(), String> {
        let start = self.zones[index].start;
        target.change(start, ZoneAction::Reset)?;
        self.make_empty(index);
        Ok(())
    }

    fn make_empty(&mut self, index: usize) {
        let Zone { start, pointer, .. } = self.zones[index];
        self.closed -= usize::from(self.zones[index].is_closed());
        if self.written_range.contains(&index) {
            self.data_bytes -= pointer - start;
        }
        (self.zones[index].pointer, self.zones[index].written) = (start, start);
        self.set_filled(index, false);
        self.close(index);
    }

    /// A trim of a whole zone, which resets it. A random one empties a zone that holds data. A conventional zone has nothing to reset.
    pub fn trim(&mut self, asked: usize, is_random: bool, terms: &Terms) -> Placing {
        let can_be_reset = |index: &usize| self.zones[*index].is_sequential && !self.zones[*index].is_broken;
        let holds_data =
            |index: &usize| can_be_reset(index) && self.zones[*index].pointer > self.zones[*index].start;
        let index = match is_random && !holds_data(&asked) {
            true => {
                let Range { start, end } = terms.range;
                let behind = self.filled_in(asked..end).find(holds_data);
                match behind.or_else(|| self.filled_in(start..asked).find(holds_data)) {
                    Some(index) => index,
                    None => return Placing::Nowhere,
                }
            }
            false if !can_be_reset(&asked) => return Placing::ZoneOver,
            false => asked,
        };
        let zone = self.zones[index];
        if !zone.is_at_rest() {
            return Placing::Blocked;
        }
        self.make_empty(index);
        (self.zones[index].is_busy, self.zones[index].is_lost) = (true, false);
        Placing::At(zone.start, self.zone_bytes)
    }

    /// An I/O that was placed is complete.
    pub fn complete(&mut self, desc: &Desc, result: i32, terms: &Terms, target: &ZoneTarget) {
        let index = self.index_of(desc.offset);
        if desc.op() == Op::Read {
            self.zones[index].reads -= 1;
        } else if self.zones[index].is_sequential {
            self.zones[index].is_busy = false;
            match (desc.op(), u64::try_from(result).is_ok_and(|moved| moved == desc.bytes())) {
                (Op::Write, true) => self.wrote(index, desc, terms, target),
                (Op::Write, false) => self.failed(index, desc, terms, target),
                _ => self.zones[index].is_lost = result < 0,
            }
        }
    }

    fn wrote(&mut self, index: usize, desc: &Desc, terms: &Terms, target: &ZoneTarget) {
        self.zones[index].written = desc.offset + desc.bytes();
        self.set_filled(index, true);
        self.close_if_full(index, terms, target);
    }

    /// A zone without room for another block is full; the device is told so if it has some room.
    fn close_if_full(&mut self, index: usize, terms: &Terms, target: &ZoneTarget) {
        let zone = self.zones[index];
        let writes_more = terms.writes_remainder && zone.left() > 0;
        if zone.left() >= terms.least_write || writes_more {
            return;
        }
        if zone.left() > 0 {
            if target.change(zone.start, ZoneAction::Finish).is_err() {
                return;
            }
            if self.written_range.contains(&index) {
                self.data_bytes += zone.left();
            }
            self.zones[index].pointer = zone.end();
        }
        self.close(index);
    }

    /// After a failed write: the zone goes on where the device says that its write pointer is, or is not written any more.
    fn failed(&mut self, index: usize, desc: &Desc, terms: &Terms, target: &ZoneTarget) {
        let behind = desc.offset + desc.bytes();
        match terms.recovers.then(|| target.pointer(self.zones[index].start, behind)).flatten() {
            Some(pointer) => {
                if self.written_range.contains(&index) {
                    self.data_bytes = self.data_bytes.saturating_sub(behind.saturating_sub(pointer));
                }
                (self.zones[index].pointer, self.zones[index].written) = (pointer, pointer);
                self.set_filled(index, pointer > self.zones[index].start);
                self.close_if_full(index, terms, target);
            }
            None => self.zones[index].is_lost = true,
        }
    }

    /// An I/O that was placed is not issued.
    pub fn take_back(&mut self, desc: &Desc, target: &ZoneTarget) {
        let index = self.index_of(desc.offset);
        if desc.op() == Op::Read {
            self.zones[index].reads -= 1;
        } else if self.zones[index].is_sequential {
            self.zones[index].is_busy = false;
            match desc.op() {
                Op::Write => {
                    if self.written_range.contains(&index) {
                        self.data_bytes -= desc.bytes();
                    }
                    self.zones[index].pointer = desc.offset;
                    if self.zones[index].pointer == self.zones[index].start {
                        self.close(index);
                    }
                }
                _ => match target.pointer(self.zones[index].start, self.zones[index].start) {
                    Some(pointer) => {
                        (self.zones[index].pointer, self.zones[index].written) = (pointer, pointer)
                    }
                    None => self.zones[index].is_lost = true,
                },
            }
        }
    }

    /// An I/O was issued, and nobody waits for it any more.
    pub fn lose(&mut self, desc: &Desc) {
        let index = self.index_of(desc.offset);
        if desc.op() == Op::Read {
            self.zones[index].reads -= 1;
        } else if self.zones[index].is_sequential {
            (self.zones[index].is_busy, self.zones[index].is_lost) = (false, true);
        }
    }
}
