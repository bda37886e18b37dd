//! Which write is the last of each place of a file.
//!
//! A job whose I/Os begin and end on a common unit needs 4 bytes for each unit. As soon as one begins or ends between two
//! units (`bs_unaligned`, a hole of `rw=write:1k`), the file's places go into a tree of byte ranges, which needs some
//! 40 bytes for each range and is exact for every list of writes.

use crate::desc::Desc;
use std::collections::BTreeMap;
use std::ops::Range;

/// The index of a write in the list of the job's writes, plus 1; 0 is no write.
pub(super) type Owner = u32;

/// No write is expected at a place.
pub(super) const NOBODY: Owner = 0;

/// The last write of each place of one file's region.
#[derive(Debug)]
pub(super) struct Extents {
    /// Where the region begins, in bytes.
    base: u64,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// The owner of each unit.
    Units { unit: u64, owners: Vec<Owner> },
    /// Ranges that have an owner, by their first byte; none of them overlap.
    Ranges(BTreeMap<u64, Span>),
}

#[derive(Clone, Copy, Debug)]
struct Span {
    end: u64,
    owner: Owner,
}

/// What the writes of one place have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// Bytes that belong to the owner who was asked for.
    pub bytes: u64,
    /// The others belong to nobody: they were trimmed.
    pub rest_is_free: bool,
}

impl Extents {
    /// Nothing yet, in a region of `bytes` bytes from `offset` on.
    pub fn new(offset: u64, bytes: u64, unit: u64) -> Extents {
        let base = offset / unit * unit;
        let units = (offset - base + bytes).div_ceil(unit);
        Extents { base, kind: Kind::Units { unit, owners: vec![NOBODY; units as usize] } }
    }

    /// How many entries it has: units, or ranges.
    pub fn len(&self) -> usize {
        match &self.kind {
            Kind::Units { owners, .. } => owners.len(),
            Kind::Ranges(ranges) => ranges.len(),
        }
    }

    /// The bytes of this I/O belong to `owner` now.
    pub fn give(&mut self, desc: &Desc, owner: Owner) {
        if !self.is_on_units(desc) {
            self.divide();
        }
        let range = self.units(desc);
        match &mut self.kind {
            Kind::Units { owners, .. } => owners[range].fill(owner),
            Kind::Ranges(ranges) => cut_out(ranges, bytes_of(desc), owner),
        }
    }

    /// The one owner of all bytes of this I/O.
    pub fn owner(&self, desc: &Desc) -> Option<Owner> {
        let mut owner = None;
        self.visit(desc, |_, other| {
            owner = Some(if owner.is_none_or(|it| it == other) { other } else { NOBODY })
        });
        owner.filter(|owner| *owner != NOBODY)
    }

    /// How much of this I/O belongs to `owner`.
    pub fn share(&self, desc: &Desc, owner: Owner) -> Share {
        if let Kind::Units { unit, owners } = &self.kind
            && desc.bytes() == *unit
        {
            // The commonest case by far: blocks of one size.
            let other = owners.get(self.units(desc).start).copied().unwrap_or(NOBODY);
            let bytes = if other == owner { *unit } else { 0 };
            return Share { bytes, rest_is_free: other == owner || other == NOBODY };
        }
        let mut share = Share { bytes: 0, rest_is_free: true };
        self.visit(desc, |bytes, other| {
            share.bytes += if other == owner { bytes } else { 0 };
            share.rest_is_free &= other == owner || other == NOBODY;
        });
        share
    }

    /// What belongs to `owner` within this I/O belongs to `to` now.
    pub fn renumber(&mut self, desc: &Desc, owner: Owner, to: Owner) {
        let range = self.units(desc);
        match &mut self.kind {
            Kind::Units { owners, .. } => {
                owners[range].iter_mut().filter(|it| **it == owner).for_each(|it| *it = to);
            }
            Kind::Ranges(ranges) => {
                let of_owner = ranges.range_mut(bytes_of(desc)).filter(|(_, span)| span.owner == owner);
                of_owner.for_each(|(_, span)| span.owner = to);
            }
        }
    }

    /// Calls for each piece of this I/O with its bytes and its owner; bytes of nobody may be several pieces.
    fn visit(&self, desc: &Desc, mut piece: impl FnMut(u64, Owner)) {
        let wanted = bytes_of(desc);
        match &self.kind {
            Kind::Units { unit, owners } => {
                let range = self.units(desc);
                let first = range.start as u64;
                for (owner, n) in owners[range].iter().zip(first..) {
                    let from = self.base + n * unit;
                    piece(wanted.end.min(from + unit) - wanted.start.max(from), *owner);
                }
            }
            Kind::Ranges(ranges) => with_gaps(ranges, wanted, piece),
        }
    }

    fn units(&self, desc: &Desc) -> Range<usize> {
        let Kind::Units { unit, owners } = &self.kind else { return 0..0 };
        let from = desc.offset.saturating_sub(self.base) / unit;
        let to = (desc.offset + desc.bytes()).saturating_sub(self.base).div_ceil(*unit);
        let most = owners.len() as u64;
        from.min(most) as usize..to.min(most) as usize
    }

    fn is_on_units(&self, desc: &Desc) -> bool {
        match self.kind {
            Kind::Units { unit, .. } => {
                (desc.offset - self.base).is_multiple_of(unit) && desc.bytes().is_multiple_of(unit)
            }
            Kind::Ranges(_) => true,
        }
    }

    /// From units to ranges, because an I/O ends between two units.
    #[cold]
    fn divide(&mut self) {
        let Kind::Units { unit, owners } = &self.kind else { return };
        let mut ranges = BTreeMap::new();
        let mut at = self.base;
        for run in owners.chunk_by(|a, b| a == b) {
            let end = at + run.len() as u64 * unit;
            if run[0] != NOBODY {
                ranges.insert(at, Span { end, owner: run[0] });
            }
            at = end;
        }
        self.kind = Kind::Ranges(ranges);
    }
}

fn bytes_of(desc: &Desc) -> Range<u64> {
    desc.offset..desc.offset + desc.bytes()
}

/// Takes `wanted` out of the ranges that have it, and gives it to `owner`.
fn cut_out(ranges: &mut BTreeMap<u64, Span>, wanted: Range<u64>, owner: Owner) {
    if let Some((_, before)) = ranges.range_mut(..wanted.start).next_back()
        && before.end > wanted.start
    {
        let cut = *before;
        before.end = wanted.start;
        if cut.end > wanted.end {
            ranges.insert(wanted.end, cut);
        }
    }
    while let Some((&from, &span)) = ranges.range(wanted.clone()).next() {
        ranges.remove(&from);
        if span.end > wanted.end {
            ranges.insert(wanted.end, span);
        }
    }
    if owner != NOBODY && !wanted.is_empty() {
        ranges.insert(wanted.start, Span { end: wanted.end, owner });
    }
}

/// Calls for each piece of `wanted`, also for those that belong to nobody.
fn with_gaps(ranges: &BTreeMap<u64, Span>, wanted: Range<u64>, mut piece: impl FnMut(u64, Owner)) {
    let before = ranges.range(..wanted.start).next_back().filter(|(_, span)| span.end > wanted.start);
    let mut at = wanted.start;
    for (&from, span) in before.into_iter().chain(ranges.range(wanted.clone())) {
        if from > at {
            piece(from - at, NOBODY);
        }
        let end = span.end.min(wanted.end);
        piece(end - from.max(at), span.owner);
        at = end;
    }
    if at < wanted.end {
        piece(wanted.end - at, NOBODY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::Op;
    use proptest::prelude::*;

    /// The owner of each byte, by the plainest of all models.
    fn model(length: usize, gifts: &[(u64, u32)]) -> Vec<Owner> {
        let mut owners = vec![NOBODY; length];
        for (n, &(offset, bytes)) in gifts.iter().enumerate() {
            owners[offset as usize..][..bytes as usize].fill(if n % 5 == 4 { NOBODY } else { n as u32 + 1 });
        }
        owners
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Units and ranges answer as an array of bytes does, whatever is written where.
        #[test]
        fn it_knows_the_last_write_of_each_byte(
            unit in prop::sample::select(vec![1u64, 4, 16]),
            stray in prop::bool::ANY,
            gifts in prop::collection::vec((0u64..15, 1u32..6), 1..40),
        ) {
            let stray = u64::from(stray);
            let gifts: Vec<(u64, u32)> =
                gifts.into_iter().map(|(at, n)| (at * unit + stray * (at % 3), n * unit as u32 + (stray * (at % 2)) as u32)).collect();
            let length = 21 * unit as usize + 8;
            let mut extents = Extents::new(0, length as u64, unit);
            let desc = |&(offset, bytes): &(u64, u32)| Desc::new(Op::Write, offset, bytes, 0);
            for (n, gift) in gifts.iter().enumerate() {
                extents.give(&desc(gift), if n % 5 == 4 { NOBODY } else { n as u32 + 1 });
            }
            let right = model(length, &gifts);
            for (n, gift) in gifts.iter().enumerate() {
                let owner = n as u32 + 1;
                let bytes = &right[gift.0 as usize..][..gift.1 as usize];
                let share = Share {
                    bytes: bytes.iter().filter(|it| **it == owner).count() as u64,
                    rest_is_free: bytes.iter().all(|it| *it == owner || *it == NOBODY),
                };
                prop_assert_eq!(extents.share(&desc(gift), owner), share);
                let one = (bytes[0] != NOBODY && bytes.iter().all(|it| *it == bytes[0])).then_some(bytes[0]);
                prop_assert_eq!(extents.owner(&desc(gift)), one);
            }
        }
    }
}
