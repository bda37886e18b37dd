//! What a job has written: which write is the last of each place, and what became of it.
//!
//! The writes are in a list, in the order in which they were issued, 40 bytes each. A map for each file says which of
//! them was the last to cover each unit, 4 bytes a unit. Writes of which nothing is left are dropped from the list when
//! it is longer than what it describes, so a job of any length needs memory for the blocks that it writes and not for
//! its writes.

use crate::desc::{Desc, Op};
use fathom_job::direction::Direction;
use fathom_job::plan::{PlannedFile, PlannedJob, divisor};
use fathom_results::{StateWrite, Unchecked, WriteFate};

/// Most units: their numbers have 32 bits, and the list of writes is a little longer.
const UNITS_MAX: u64 = 1 << 31;

/// What became of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Right,
    /// It failed or was short, so it is not known what is there.
    Failed,
    /// Another write of the same place was in flight at the same time, so it is not known which is there.
    Overlapped,
    /// Of a restored write: something covers a part of it.
    Cut,
}

#[derive(Clone, Copy, Debug)]
struct Write {
    desc: Desc,
    number: u64,
    state: State,
    is_in_flight: bool,
    /// It was read back while the job was writing.
    is_checked: bool,
}

/// The units of one file's region, each with its last write: its index in the list and 1, or 0.
#[derive(Debug)]
struct Map {
    base: u64,
    last: Vec<u32>,
}

/// A write that can be read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastWrite {
    /// Where and how long.
    pub desc: Desc,
    /// Its number in the job, from 0.
    pub number: u64,
}

/// What a job has written.
#[derive(Debug)]
pub struct Written {
    unit: u64,
    maps: Vec<Map>,
    writes: Vec<Write>,
    issued: u64,
    /// The writes in flight.
    in_flight: Vec<(u64, Desc)>,
    /// All writes of the list before this one were read back, or cannot be.
    unchecked_from: usize,
    /// The list is looked through for writes that can be dropped when it is this long.
    compact_at: usize,
}

/// The unit in which the places and lengths of the job's writes differ.
fn unit(plan: &PlannedJob) -> u64 {
    let sizes = &plan.block[Direction::Write];
    let lengths = [sizes.divisor(), sizes.max(), plan.align[Direction::Write]];
    let offsets = plan.files.iter().map(|file| file.offset);
    lengths.into_iter().chain(offsets).fold(0, |all, bytes| divisor(all, bytes.0)).max(1)
}

impl Written {
    /// Nothing yet, of a job whose units take 4 bytes of memory each; `None` where it has too many.
    pub fn new(plan: &PlannedJob) -> Option<Written> {
        Written::with_unit(&plan.files, unit(plan))
    }

    fn with_unit(files: &[PlannedFile], unit: u64) -> Option<Written> {
        if files.iter().map(|file| file.size.0 / unit + 2).sum::<u64>() > UNITS_MAX {
            return None;
        }
        let map = |file: &PlannedFile| {
            let base = file.offset.0 / unit * unit;
            let units = (file.offset.0 - base + file.size.0).div_ceil(unit);
            Map { base, last: vec![0; units as usize] }
        };
        let maps: Vec<Map> = files.iter().map(map).collect();
        let units: usize = maps.iter().map(|map| map.last.len()).sum();
        let compact_at = (units + units / 4).max(1 << 16);
        Some(Written { unit, maps, compact_at, ..Written::nothing() })
    }

    /// Nothing, of a job that does not write.
    pub fn nothing() -> Written {
        Written {
            unit: 1,
            maps: Vec::new(),
            writes: Vec::new(),
            issued: 0,
            in_flight: Vec::new(),
            unchecked_from: 0,
            compact_at: 1,
        }
    }

    /// How many writes were issued.
    pub fn issued(&self) -> u64 {
        self.issued
    }

    /// A write is issued. Returns its number.
    pub fn begin(&mut self, desc: &Desc) -> u64 {
        if self.writes.len() >= self.compact_at {
            self.compact();
        }
        let state = self.overlap(desc);
        let index = self.writes.len();
        let Written { maps, writes, unit, .. } = self;
        maps[desc.file() as usize].units(*unit, desc).for_each(|last| *last = index as u32 + 1);
        let number = self.issued;
        self.issued += 1;
        self.in_flight.push((number, *desc));
        writes.push(Write { desc: *desc, number, state, is_in_flight: true, is_checked: false });
        number
    }

    /// The state of a write that begins. Those in flight at the same place are not known either: they may land after it,
    /// also where another write or a trim came between.
    fn overlap(&mut self, desc: &Desc) -> State {
        let is_apart = |other: &Desc| {
            other.file() != desc.file()
                || other.offset + other.bytes() <= desc.offset
                || desc.offset + desc.bytes() <= other.offset
        };
        let met: Vec<u64> =
            self.in_flight.iter().filter(|(_, other)| !is_apart(other)).map(|(number, _)| *number).collect();
        for number in &met {
            if let Some(index) = self.index_of(*number) {
                self.writes[index].state = State::Overlapped;
            }
        }
        if met.is_empty() { State::Right } else { State::Overlapped }
    }

    /// A write has completed, whole or not.
    pub fn end(&mut self, number: u64, is_whole: bool) {
        self.in_flight.retain(|(other, _)| *other != number);
        let Some(index) = self.index_of(number) else { return };
        let write = &mut self.writes[index];
        write.is_in_flight = false;
        if !is_whole {
            write.state = State::Failed;
        }
    }

    /// A place is trimmed: what was written there is no longer expected.
    pub fn trimmed(&mut self, desc: &Desc) {
        let unit = self.unit;
        self.maps[desc.file() as usize].units(unit, desc).for_each(|last| *last = 0);
    }

    /// The write that must be at the place of this read, if one write covers the whole of it.
    pub fn at(&self, desc: &Desc) -> Option<LastWrite> {
        let mut lasts = self.maps.get(desc.file() as usize)?.units_at(self.unit, desc);
        let last = *lasts.next()?;
        let write = &self.writes[(last as usize).checked_sub(1)?];
        let is_one = lasts.all(|other| *other == last) && self.is_readable(write);
        (is_one && write.desc.offset == desc.offset && write.desc.bytes() == desc.bytes())
            .then_some(LastWrite { desc: write.desc, number: write.number })
    }

    /// Is this write complete, and is nothing in flight over it?
    fn is_readable(&self, write: &Write) -> bool {
        write.state == State::Right && !write.is_in_flight
    }

    /// Every write that can be read back whole, in the order in which they were issued, and how many cannot.
    pub fn readable(&self) -> (Vec<LastWrite>, Unchecked) {
        let mut counts = Unchecked::default();
        let mut readable = Vec::new();
        for (index, write) in self.writes.iter().enumerate() {
            let (covered, units) = self.covered(index, write);
            match write.state {
                _ if covered == 0 => {}
                _ if write.is_in_flight => counts.in_flight += 1,
                State::Failed => counts.failed += 1,
                State::Overlapped => counts.overlapped += 1,
                State::Cut => counts.cut += 1,
                State::Right if covered < units => counts.cut += 1,
                State::Right if write.is_checked => {}
                State::Right => readable.push(LastWrite { desc: write.desc, number: write.number }),
            }
        }
        (readable, counts)
    }

    /// Of how many of its units a write is the last, and how many it has.
    fn covered(&self, index: usize, write: &Write) -> (usize, usize) {
        let lasts = self.maps[write.desc.file() as usize].units_at(self.unit, &write.desc);
        lasts.fold((0, 0), |(covered, units), last| {
            (covered + usize::from(*last as usize == index + 1), units + 1)
        })
    }

    /// The oldest writes that are complete, whole and not yet read back: at most `most`, which are now.
    pub fn take_complete(&mut self, most: usize, out: &mut Vec<Desc>) {
        while out.len() < most
            && let Some(write) = self.writes.get(self.unchecked_from)
            && !write.is_in_flight
        {
            let (covered, units) = self.covered(self.unchecked_from, write);
            let write = &mut self.writes[self.unchecked_from];
            if covered == units && write.state == State::Right {
                write.is_checked = true;
                out.push(write.desc);
            }
            self.unchecked_from += 1;
        }
    }

    /// How many writes the list has.
    pub fn listed(&self) -> usize {
        self.writes.len()
    }

    /// Every write of which something is left, and what became of it: what a state of the verification holds.
    pub fn kept(&self) -> impl Iterator<Item = StateWrite> {
        let kept = |(index, write): (usize, &Write)| {
            let (covered, units) = self.covered(index, write);
            let fate = match write.state {
                _ if covered == 0 => return None,
                _ if write.is_in_flight => WriteFate::InFlight,
                State::Failed => WriteFate::Failed,
                State::Overlapped => WriteFate::Overlapped,
                State::Cut => WriteFate::Cut,
                State::Right if covered < units => WriteFate::Cut,
                State::Right => WriteFate::Whole,
            };
            let Write { desc, number, .. } = write;
            let (file, bytes) = (desc.file(), desc.len());
            Some(StateWrite { file, bytes, offset: desc.offset, number: *number, fate })
        };
        self.writes.iter().enumerate().filter_map(kept)
    }

    /// What a state holds of a job that wrote these regions and had issued so many writes; `None` where it has too many units.
    pub fn restored(files: &[PlannedFile], writes: &[StateWrite], issued: u64) -> Option<Written> {
        let places = writes.iter().flat_map(|write| [write.offset, u64::from(write.bytes)]);
        let unit = files.iter().map(|file| file.offset.0).chain(places).fold(0, divisor).max(1);
        let mut written = Written::with_unit(files, unit)?;
        for write in writes {
            written.restore(write);
        }
        written.issued = issued;
        Some(written)
    }

    fn restore(&mut self, write: &StateWrite) {
        let desc = Desc::new(Op::Write, write.offset, write.bytes, write.file);
        let Written { maps, writes, unit, .. } = self;
        let Some(map) = maps.get_mut(write.file as usize) else { return };
        let last = writes.len() as u32 + 1;
        map.units(*unit, &desc).for_each(|unit| *unit = last);
        let state = match write.fate {
            WriteFate::Failed => State::Failed,
            WriteFate::Overlapped => State::Overlapped,
            // What covers it may have been a trim, which the state does not hold.
            WriteFate::Cut => State::Cut,
            WriteFate::Whole | WriteFate::InFlight => State::Right,
        };
        let is_in_flight = write.fate == WriteFate::InFlight;
        writes.push(Write { desc, number: write.number, state, is_in_flight, is_checked: false });
    }

    fn index_of(&self, number: u64) -> Option<usize> {
        self.writes.binary_search_by_key(&number, |write| write.number).ok()
    }

    /// Drops the writes of which nothing is left.
    #[cold]
    fn compact(&mut self) {
        let mut kept = Vec::with_capacity(self.writes.len() / 2);
        let mut unchecked_from = 0;
        for index in 0..self.writes.len() {
            if index == self.unchecked_from {
                unchecked_from = kept.len();
            }
            let write = self.writes[index];
            let covered = self.covered(index, &write).0;
            if covered == 0 && !write.is_in_flight {
                continue;
            }
            kept.push(write);
            let (unit, to) = (self.unit, kept.len() as u32);
            // A later write has a larger index, so a unit that was renumbered is not taken for another write's.
            let units = self.maps[write.desc.file() as usize].units(unit, &write.desc);
            units.filter(|last| **last as usize == index + 1).for_each(|last| *last = to);
        }
        self.unchecked_from =
            if self.unchecked_from >= self.writes.len() { kept.len() } else { unchecked_from };
        self.compact_at = (2 * kept.len()).max(self.compact_at);
        self.writes = kept;
    }
}

impl Map {
    fn range(&self, unit: u64, desc: &Desc) -> std::ops::Range<usize> {
        let from = desc.offset.saturating_sub(self.base) / unit;
        let to = (desc.offset + desc.bytes()).saturating_sub(self.base).div_ceil(unit);
        let last = self.last.len() as u64;
        from.min(last) as usize..to.min(last) as usize
    }

    fn units(&mut self, unit: u64, desc: &Desc) -> impl Iterator<Item = &mut u32> {
        let range = self.range(unit, desc);
        self.last[range].iter_mut()
    }

    fn units_at(&self, unit: u64, desc: &Desc) -> impl Iterator<Item = &u32> {
        self.last[self.range(unit, desc)].iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::Op;
    use crate::fixture::planned;

    fn written(options: &str) -> Written {
        let text = format!("[j]\nioengine=psync\nfilename=f\nrw=randwrite\nsize=1m\n{options}\n");
        Written::new(&planned(&text).jobs[0]).unwrap()
    }

    fn write(at_kib: u64, kib: u32) -> Desc {
        Desc::new(Op::Write, at_kib << 10, kib << 10, 0)
    }

    fn numbers(written: &Written) -> Vec<u64> {
        written.readable().0.iter().map(|last| last.number).collect()
    }

    #[test]
    fn the_last_whole_write_of_a_place_is_read_back() {
        let mut written = written("bssplit=4k/50:8k/50");
        for (number, (at, kib)) in [(0, 8), (16, 4), (0, 8), (20, 8), (24, 4)].into_iter().enumerate() {
            assert_eq!(written.begin(&write(at, kib)), number as u64);
            written.end(number as u64, true);
        }
        let (readable, counts) = written.readable();
        let places: Vec<_> = readable.iter().map(|last| (last.desc.offset >> 10, last.number)).collect();
        assert_eq!(places, [(16, 1), (0, 2), (24, 4)]);
        assert_eq!(counts, Unchecked { cut: 1, ..Default::default() }, "the write at 20 KiB");
        assert_eq!(written.at(&write(0, 8)).map(|last| last.number), Some(2));
        assert_eq!(written.at(&write(0, 4)), None, "a part of a write is no write");
    }

    #[test]
    fn what_is_not_known_is_counted() {
        let mut written = written("bs=4k");
        for at in [0, 4, 4, 8] {
            written.begin(&write(at, 4));
        }
        written.end(0, false);
        written.end(1, true);
        written.end(2, true);
        let (readable, counts) = written.readable();
        assert_eq!(readable, []);
        assert_eq!(counts, Unchecked { failed: 1, overlapped: 1, in_flight: 1, ..Default::default() });
        written.trimmed(&Desc::trim(0, 12 << 10, 0));
        assert_eq!(written.readable().1, Unchecked::default(), "what was trimmed is not expected");
    }

    #[test]
    fn a_write_that_is_still_in_flight_is_never_forgotten() {
        let mut written = written("bs=4k");
        written.begin(&write(0, 4));
        written.begin(&write(0, 4));
        written.end(1, true);
        written.begin(&write(0, 4));
        written.end(2, true);
        assert_eq!(written.readable().1.overlapped, 1, "the first may land after the third");
        written.trimmed(&Desc::trim(0, 4096, 0));
        written.begin(&write(0, 4));
        written.end(3, true);
        assert_eq!(written.readable().1.overlapped, 1, "and after a trim");
        written.end(0, true);
        written.begin(&write(0, 4));
        written.end(4, true);
        assert_eq!(numbers(&written), [4]);
    }

    #[test]
    fn small_blocks_are_told_apart() {
        let mut written = written("bs=256");
        for number in 0..8 {
            written.begin(&Desc::new(Op::Write, number * 256, 256, 0));
            written.end(number, true);
        }
        assert_eq!(numbers(&written).len(), 8);
    }

    #[test]
    fn what_was_read_back_while_writing_is_not_read_again() {
        let mut written = written("bs=4k");
        written.compact_at = 4;
        let mut taken = Vec::new();
        for number in 0..6u64 {
            written.begin(&write(number % 3 * 4, 4));
            if number != 4 {
                written.end(number, true);
            }
            if number == 1 {
                written.take_complete(1, &mut taken);
                assert_eq!(taken, [write(0, 4)]);
            }
        }
        taken.clear();
        written.take_complete(9, &mut taken);
        assert_eq!(taken, [write(0, 4)], "the first after the overwritten ones, up to the one in flight");
        written.end(4, true);
        assert_eq!(numbers(&written), [4, 5]);
    }

    #[test]
    fn a_long_job_needs_no_more_memory_than_its_blocks() {
        let mut written = written("bs=4k");
        written.compact_at = 600;
        for number in 0..10_000u64 {
            written.begin(&write(number * 7 % 256 * 4, 4));
            written.end(number, true);
            assert!(written.writes.len() <= 700, "{}", written.writes.len());
        }
        assert_eq!(numbers(&written), (10_000 - 256..10_000).collect::<Vec<u64>>());
        assert_eq!(written.issued(), 10_000);
    }
}
