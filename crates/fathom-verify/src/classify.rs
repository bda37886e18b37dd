//! From a block that failed a check to what happened to it.
//!
//! Every sector of the content names its write and its place ([`crate::body::owner`]), so the sectors are counted by
//! owner. Only where all that are left belong to the expected write are single bits compared.

use crate::block::{BlockFormat, Expected, Place, Stamp};
use crate::body::{Owner, SECTOR, owner};
use crate::fault::{FailedCheck, Fault, FaultKind, Identity};
use crate::header::{Header, HeaderVersion};

/// Above this number of bits it is not a block with flipped bits. A failing memory chip or cable damages single bits
/// or one word; a block that something else wrote differs in half of its bits.
const FLIPS_MAX: u32 = 64;

pub(crate) fn classify(
    format: &BlockFormat,
    block: &[u8],
    at: Place,
    expected: &Expected,
    check: FailedCheck,
    is_ours: &dyn Fn(u64) -> bool,
) -> Fault {
    let header = if format.method.has_header() { Header::read(block).ok() } else { None };
    let kind = match &format.pattern {
        _ if block.iter().all(|&byte| byte == 0) => FaultKind::Zeroed { bytes: block.len() as u32 },
        Some(_) => of_pattern(format, block, at, header),
        None => of_content(format, block, at, expected, header, is_ours),
    };
    let received = header.map(|(header, _)| Identity::from(header));
    let wanted = expected.seed.map(|seed| Identity {
        offset: at.offset,
        seed,
        seconds: 0,
        nanos: 0,
        thread: received.map_or(0, |received| received.thread),
        write: expected.write.unwrap_or(0),
    });
    Fault { offset: at.offset, len: block.len() as u32, kind, check, expected: wanted, received }
}

/// The sectors of a block by owner.
struct Sectors {
    owners: Vec<Owner>,
}

impl Sectors {
    fn of(format: &BlockFormat, block: &[u8], version: HeaderVersion) -> Sectors {
        let proof = format.proof_bytes(version);
        let owners = block.chunks(SECTOR).enumerate().filter_map(|(n, sector)| {
            let at = n * SECTOR;
            let skip = proof.saturating_sub(at);
            if skip >= sector.len() || is_zeros_of_format(format, block.len(), at) {
                return None;
            }
            Some(owner(sector, at, skip))
        });
        Sectors { owners: owners.collect() }
    }

    fn count(&self, wanted: impl Fn(&Owner) -> bool) -> usize {
        self.owners.iter().filter(|owner| wanted(owner)).count()
    }

    /// The write that most sectors belong to, of those that fit.
    fn most(&self, fits: impl Fn(u64, u64) -> bool) -> Option<(u64, u64)> {
        let writes = self.owners.iter().filter_map(|owner| match *owner {
            Owner::Write { seed, block } if fits(seed, block) => Some((seed, block)),
            _ => None,
        });
        let count =
            |write: &(u64, u64)| self.count(|owner| *owner == Owner::Write { seed: write.0, block: write.1 });
        writes.max_by_key(count)
    }
}

/// Are all bytes of the sector at `at` zeros by the format, for a drive that compresses?
fn is_zeros_of_format(format: &BlockFormat, block: usize, at: usize) -> bool {
    const CHUNK: usize = 4096;
    let chunk = CHUNK.min(block - at / CHUNK * CHUNK);
    at % CHUNK >= chunk - chunk * format.zero_percent.min(100) as usize / 100
}

fn of_content(
    format: &BlockFormat,
    block: &[u8],
    at: Place,
    expected: &Expected,
    header: Option<(Header, HeaderVersion)>,
    is_ours: &dyn Fn(u64) -> bool,
) -> FaultKind {
    let version = header.map_or(HeaderVersion::Short, |(_, version)| version);
    let sectors = Sectors::of(format, block, version);
    let here = |_: u64, place: u64| place == at.offset;
    let of_header = header.filter(|(header, _)| header.offset == at.offset).map(|(header, _)| header.seed);
    let wanted = expected.seed.or(of_header).or(sectors.most(here).map(|(seed, _)| seed));
    let is_wanted =
        |owner: &Owner| wanted.is_some_and(|seed| *owner == Owner::Write { seed, block: at.offset });
    let right = sectors.count(is_wanted);
    let zeros = sectors.count(|owner| *owner == Owner::Zeros);
    let other = sectors.most(|seed, place| Some(seed) != wanted || place != at.offset);
    match other {
        Some((_, place)) if place != at.offset => FaultKind::Misplaced { belongs_at: place },
        Some((seed, _)) if right == 0 && zeros == 0 && is_header_of(header, seed) => {
            FaultKind::Stale { of_this_run: is_ours(seed) }
        }
        Some(_) => FaultKind::Torn { at: boundary(format, block.len(), &sectors, header, at) },
        None if zeros > 0 => FaultKind::Zeroed { bytes: (zeros * SECTOR).min(block.len()) as u32 },
        None => of_right_content(format, block, at, expected, header, wanted, right, is_ours),
    }
}

/// Does the header belong to this write too, or can it not be read?
fn is_header_of(header: Option<(Header, HeaderVersion)>, seed: u64) -> bool {
    header.is_none_or(|(header, _)| header.seed == seed)
}

/// Where the second part of a torn block begins.
fn boundary(
    format: &BlockFormat,
    len: usize,
    sectors: &Sectors,
    header: Option<(Header, HeaderVersion)>,
    at: Place,
) -> u32 {
    let first = match header {
        Some((header, _)) => Some(Owner::Write { seed: header.seed, block: at.offset }),
        None => sectors.owners.first().copied(),
    };
    // The sectors that are zeros by the format are not among the owners, so places are counted again.
    let proof = format.proof_bytes(HeaderVersion::Short);
    let places = (0..len).step_by(SECTOR).filter(|&at| {
        proof.saturating_sub(at) < SECTOR.min(len - at) && !is_zeros_of_format(format, len, at)
    });
    let mut parts = places.zip(&sectors.owners);
    parts.find(|(_, owner)| Some(**owner) != first).map_or(0, |(place, _)| place as u32)
}

/// No sector belongs to anything else: it is the header, single bits, or data that nothing identifies.
#[allow(clippy::too_many_arguments)]
fn of_right_content(
    format: &BlockFormat,
    block: &[u8],
    at: Place,
    expected: &Expected,
    header: Option<(Header, HeaderVersion)>,
    wanted: Option<u64>,
    right: usize,
    is_ours: &dyn Fn(u64) -> bool,
) -> FaultKind {
    if let Some((header, _)) = header
        && header.offset != at.offset
    {
        return FaultKind::Misplaced { belongs_at: header.offset };
    }
    if let Some((header, _)) = header
        && wanted.is_some_and(|seed| seed != header.seed)
    {
        // The header of another write, before content of the wanted one or of nobody.
        let of_this_run = is_ours(header.seed);
        return if right > 0 {
            FaultKind::Torn { at: SECTOR as u32 }
        } else {
            FaultKind::Stale { of_this_run }
        };
    }
    let flips = wanted.and_then(|seed| flips(format, block, at, expected, seed));
    match (flips, header) {
        (Some((bits, first)), _) => FaultKind::BitFlip { bits, first },
        (None, Some(_)) if right == 0 => FaultKind::Checksum,
        _ => FaultKind::Foreign,
    }
}

/// The bits in which the block differs from what the write of `seed` put there, and the first byte; `None` where they
/// are too many. The time in the header is not known, so it is taken as it is.
fn flips(
    format: &BlockFormat,
    block: &[u8],
    at: Place,
    expected: &Expected,
    seed: u64,
) -> Option<(u32, u32)> {
    let word = |from: usize| {
        let bytes = block.get(from..from + 4).and_then(|part| part.try_into().ok());
        u32::from_le_bytes(bytes.unwrap_or_default())
    };
    let half = |from: usize| word(from) as u16;
    let write = expected.write.unwrap_or_else(|| half(34).into());
    let stamp = Stamp { seed, write, thread: half(32), seconds: word(24), nanos: word(28) };
    let mut right = vec![0; block.len()];
    let flat = BlockFormat { header_offset: 0, ..format.clone() };
    flat.write_block(&mut right, at.offset, at.io, &stamp);
    let mut differing = block.iter().zip(&right).enumerate().filter(|(n, (is, should))| {
        // A bit of the time changes the checksum of the header that is made of it.
        is != should && !(format.method.has_header() && (24..32).contains(n))
    });
    let (first, (is, should)) = differing.next().unwrap_or((24, (&0, &1)));
    let bits = (is ^ should).count_ones()
        + differing.map(|(_, (is, should))| (is ^ should).count_ones()).sum::<u32>();
    // A flipped bit of the time shows as the checksum of the header alone, of which half of the bits differ.
    let is_time = (36..40).contains(&first) && format.method.has_header();
    let bits = if is_time { 1 } else { bits };
    let first = if is_time { 24 } else { first };
    (bits <= FLIPS_MAX).then_some((bits, first as u32))
}

/// A block of a pattern, which names no write.
fn of_pattern(
    format: &BlockFormat,
    block: &[u8],
    at: Place,
    header: Option<(Header, HeaderVersion)>,
) -> FaultKind {
    if let Some((header, _)) = header
        && header.offset != at.offset
    {
        return FaultKind::Misplaced { belongs_at: header.offset };
    }
    let proof = format.proof_bytes(header.map_or(HeaderVersion::Short, |(_, version)| version));
    let mut right = vec![0; block.len()];
    let flat = BlockFormat { method: crate::Method::Pattern, ..format.clone() };
    let stamp = Stamp { seed: 0, write: 0, thread: 0, seconds: 0, nanos: 0 };
    flat.write_block(&mut right, at.offset, at.io, &stamp);
    let differing = || {
        let bytes = block.iter().zip(&right).enumerate().skip(proof);
        bytes.filter(|(_, (is, should))| is != should)
    };
    let bits: u32 = differing().map(|(_, (is, should))| (is ^ should).count_ones()).sum();
    let first = differing().next().map_or(0, |(n, _)| n as u32);
    if bits <= FLIPS_MAX {
        return FaultKind::BitFlip { bits: bits.max(1), first };
    }
    let wrong: Vec<usize> = (0..block.len())
        .step_by(SECTOR)
        .filter(|&from| {
            let end = (from + SECTOR).min(block.len());
            let from = from.max(proof.min(end));
            block[from..end] != right[from..end]
        })
        .collect();
    let is_zero =
        |from: &&usize| block[**from..(**from + SECTOR).min(block.len())].iter().all(|&byte| byte == 0);
    let zeros = wrong.iter().filter(is_zero).count();
    match () {
        () if zeros == wrong.len() => FaultKind::Zeroed { bytes: (zeros * SECTOR).min(block.len()) as u32 },
        () if wrong.len() == block.len().div_ceil(SECTOR) => FaultKind::Foreign,
        () => {
            let at = if wrong[0] == 0 { (wrong.len() * SECTOR) as u32 } else { wrong[0] as u32 };
            FaultKind::Torn { at }
        }
    }
}
