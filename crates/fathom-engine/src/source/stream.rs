//! Offsets within one file's region: where each direction goes next.

use super::bitmap::RandomMap;
use super::permutation::Permutation;
use super::region::Region;
use super::seed::Random;
use super::sequence::Sequence;
use super::skew::SkewedPlaces;
use crate::desc::Desc;
use fathom_job::direction::{Direction, PerDirection};
use std::ops::Range;

#[derive(Clone, Debug)]
pub enum RandomKind {
    /// Any block, with repeats (`norandommap`).
    Uniform,
    /// Every block once per pass, one block size.
    Permuted { order: Permutation, used: u64 },
    /// Every block of the smallest size once per pass; sizes vary.
    Mapped(RandomMap),
    /// Some places more often than others.
    Skewed(Box<SkewedPlaces>),
    /// Places in a given order.
    Sequence(Sequence),
}

#[derive(Clone, Debug)]
pub struct Stream {
    base: u64,
    size: u64,
    align: PerDirection<u64>,
    /// Unit of the permutation or map.
    unit: u64,
    kind: RandomKind,
    /// Next sequential offset from `base`; there is one for each direction, as in fio.
    position: PerDirection<i64>,
    seed: u64,
    pass: u64,
    /// Where sequential I/O begins, from `base`.
    first: i64,
    /// Where the region begins and ends, and the most of it that is used at a time. `base` and `size` are those of the
    /// part in use; without zones that is all of the region.
    region: Range<u64>,
    part_max: u64,
}

impl Stream {
    pub fn new(region: Region, kind: RandomKind) -> Self {
        let mut stream = Stream {
            base: region.base,
            size: region.size,
            align: region.align,
            unit: region.unit.max(1),
            kind,
            position: PerDirection::default(),
            seed: region.seed,
            pass: 0,
            first: region.first,
            region: region.base..region.base.saturating_add(region.size),
            part_max: u64::MAX,
        };
        stream.rewind();
        stream
    }

    /// A stream that uses parts of its region, each of at most `part_max` bytes.
    pub fn in_parts(self, part_max: u64) -> Self {
        let mut stream = Stream { part_max, ..self };
        stream.restart();
        stream
    }

    /// Starts a new pass, at the start of the region.
    pub fn restart(&mut self) {
        self.begin_part(self.region.start);
    }

    /// Goes on in the part that begins `step` bytes after this one; after the last one the first one follows.
    pub fn begin_part_after(&mut self, step: u64) {
        let next = self.base.saturating_add(step);
        self.begin_part(if next < self.region.end { next } else { self.region.start });
    }

    fn begin_part(&mut self, base: u64) {
        self.base = base;
        self.size = (self.region.end - base).min(self.part_max);
        self.rewind();
    }

    /// Is the position of a direction this far from the start of the part, or farther?
    pub fn is_beyond(&self, direction: Direction, bytes: u64) -> bool {
        u64::try_from(self.position[direction]).is_ok_and(|position| position >= bytes)
    }

    pub fn units(region: &Region) -> u64 {
        region.size / region.unit.max(1)
    }

    /// Starts this part of the region again: sequential positions at the start, every block free
    /// again, in a new order.
    pub fn rewind(&mut self) {
        self.position = PerDirection { read: self.first, write: self.first, trim: self.first };
        let blocks = self.size / self.unit;
        match &mut self.kind {
            RandomKind::Uniform | RandomKind::Skewed(_) => {}
            RandomKind::Permuted { order, used } => {
                *order = Permutation::new(blocks, self.seed.wrapping_add(self.pass));
                *used = 0;
            }
            RandomKind::Mapped(map) => map.clear(),
            RandomKind::Sequence(sequence) => sequence.rewind(),
        }
        self.pass += 1;
    }

    /// The next random place for an I/O of `len` bytes: offset and length
    /// (shorter when the map leaves less), or `None` when the pass is over.
    #[inline]
    pub fn random(&mut self, direction: Direction, len: u64, random: &mut Random) -> Option<(u64, u64)> {
        let (from, len) = match &mut self.kind {
            RandomKind::Uniform => {
                let align = self.align[direction];
                let last = self.size.checked_sub(len)? / align;
                (random.below(last + 1) * align, len)
            }
            RandomKind::Permuted { order, used } => {
                if *used >= self.size / self.unit {
                    return None;
                }
                *used += 1;
                (order.at(*used - 1) * self.unit, len)
            }
            RandomKind::Mapped(map) => {
                let units = self.size / self.unit;
                let want = len.div_ceil(self.unit);
                let (first, count) = map.take(random.below(units), want)?;
                (first * self.unit, (count * self.unit).min(len))
            }
            RandomKind::Skewed(skew) => (skew.offset(direction, len, random)?, len),
            RandomKind::Sequence(sequence) => (sequence.offset(self.align[direction], len, self.size)?, len),
        };
        self.position[direction] = (from + len) as i64;
        Some((self.base + from, len))
    }

    /// Random places for I/Os like `template`, of `len` bytes, into `out`; returns
    /// how many, fewer than asked when the pass is over. What [`Stream::random`]
    /// does one by one, without asking each time how.
    pub fn random_block(
        &mut self,
        direction: Direction,
        template: Desc,
        len: u64,
        out: &mut [Desc],
        random: &mut Random,
    ) -> usize {
        match &mut self.kind {
            RandomKind::Uniform => {
                let (base, align) = (self.base, self.align[direction]);
                let Some(last) = self.size.checked_sub(len) else { return 0 };
                let places = last / align + 1;
                let draw = |random: &mut Random| base + random.below(places) * align;
                // Four at a time, because the instructions of the loop itself count here.
                let mut fours = out.chunks_exact_mut(4);
                for four in &mut fours {
                    four.iter_mut().for_each(|desc| *desc = template.at(draw(random)));
                }
                fours.into_remainder().iter_mut().for_each(|desc| *desc = template.at(draw(random)));
                out.len()
            }
            RandomKind::Permuted { order, used } => {
                let left = (self.size / self.unit).saturating_sub(*used);
                let count = left.min(out.len() as u64) as usize;
                for (desc, index) in out[..count].iter_mut().zip(*used..) {
                    *desc = template.at(self.base + order.at(index) * self.unit);
                }
                *used += count as u64;
                count
            }
            RandomKind::Skewed(skew) => skew.fill(direction, template, self.base, len, out, random),
            RandomKind::Mapped(_) | RandomKind::Sequence(_) => {
                self.random_each(direction, template, len, out, random)
            }
        }
    }

    /// The same where the map decides.
    fn random_each(
        &mut self,
        direction: Direction,
        template: Desc,
        len: u64,
        out: &mut [Desc],
        random: &mut Random,
    ) -> usize {
        let mut count = 0;
        for desc in out {
            let Some((offset, _)) = self.random(direction, len, random) else { break };
            *desc = template.at(offset);
            count += 1;
        }
        count
    }

    /// The next sequential place; `hole` bytes are skipped afterwards (may be
    /// negative: backwards). `None` when the region's end is reached.
    #[inline]
    pub fn sequential(&mut self, direction: Direction, len: u64, hole: i64) -> Option<(u64, u64)> {
        let position = &mut self.position[direction];
        let from = u64::try_from(*position).ok()?;
        if from + len > self.size {
            return None;
        }
        // A hole that exceeds the range of numbers also leads out of the region.
        *position = position.wrapping_add((len as i64).wrapping_add(hole));
        Some((self.base + from, len))
    }

    /// Where random places are drawn unevenly: how.
    pub fn skew(&self) -> Option<&SkewedPlaces> {
        match &self.kind {
            RandomKind::Skewed(skew) => Some(skew),
            _ => None,
        }
    }

    /// Are random places of two directions drawn alike?
    pub fn is_alike(&self, one: Direction, other: Direction) -> bool {
        let skew_is_alike = self.skew().is_none_or(|skew| skew.is_alike(one, other));
        self.align[one] == self.align[other] && skew_is_alike
    }

    pub fn holds(&self, offset: u64, len: u64) -> bool {
        offset >= self.base && offset + len <= self.base + self.size
    }

    /// Has nothing been placed since the last pass began?
    pub fn is_at_start(&self) -> bool {
        self.position.iter().all(|(_, position)| *position == self.first)
    }

    /// Sets the sequential position of one direction back to where it began;
    /// false when it is there already.
    pub fn rewind_direction(&mut self, direction: Direction) -> bool {
        let moved = self.position[direction] != self.first;
        self.position[direction] = self.first;
        moved
    }
}
