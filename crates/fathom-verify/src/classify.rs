//! From a block that failed a check to what happened to it.
//!
//! Every sector of the content names its write and its place ([`crate::body::owner`]), so the sectors are counted by
//! owner. Only where all that are left belong to the expected write are single bits compared.

use crate::block::{BlockFormat, Expected, Place, Stamp};
use crate::body::{CHUNK, Owner, SECTOR, content_bytes, owner};
use crate::fault::{FailedCheck, Fault, FaultKind, Identity, WrongPart};
use crate::header::{Header, HeaderVersion};

/// Above this number of bits it is not a block with flipped bits. A failing memory chip or cable damages single bits
/// or one word; a block that something else wrote differs in half of its bits.
const FLIPS_MAX: u32 = 64;

/// A block that failed a check, and what is known of it.
#[derive(Clone, Copy)]
pub(crate) struct Suspect<'a> {
    pub format: &'a BlockFormat,
    pub block: &'a [u8],
    pub at: Place,
    pub expected: &'a Expected,
    /// Does a seed name a write of this run?
    pub is_ours: &'a dyn Fn(u64) -> bool,
}

/// What happened to the block, of which `check` was the first check to fail.
pub(crate) fn classify(suspect: Suspect<'_>, check: FailedCheck) -> Fault {
    let Suspect { format, block, at, expected, .. } = suspect;
    let header = if format.method.has_header() { Header::read(block).ok() } else { None };
    let (kind, part) = match &format.pattern {
        _ if block.iter().all(|&byte| byte == 0) => (FaultKind::Zeroed { bytes: block.len() as u32 }, None),
        Some(_) => (suspect.of_pattern(header), None),
        None => suspect.of_content(header),
    };
    let received = header.map(|(header, _)| Identity::from(header));
    let wanted = expected.seed.map(|seed| {
        let stamp = suspect.stamp(seed);
        let (seconds, nanos) = stamp.map(|stamp| (stamp.seconds, stamp.nanos)).unwrap_or_default();
        let thread = received.map(|it| it.thread).or(stamp.map(|it| it.thread)).unwrap_or_default();
        Identity { offset: at.offset, seed, seconds, nanos, thread, write: expected.write.unwrap_or(0) }
    });
    let len = block.len() as u32;
    Fault { offset: at.offset, len, kind, check, expected: wanted, received, part }
}

impl BlockFormat {
    /// The seeds of all writes of which something is in a block that was read: by its header, and by the sectors of its
    /// content. The block is as before afterwards.
    pub fn seeds_in(&self, block: &mut [u8]) -> Vec<u64> {
        if !self.method.has_header() || block.len() < self.smallest() {
            return Vec::new();
        }
        let head = block.get(self.header_offset as usize..).unwrap_or_default();
        let header = Header::read(head).ok();
        let version = header.map_or(HeaderVersion::Short, |(_, version)| version);
        self.swap_header(block, version);
        let sectors = if self.pattern.is_some() { None } else { Some(Sectors::of(self, block, version)) };
        let of_sector = |(_, owner): (usize, Owner)| match owner {
            Owner::Write { seed, .. } => Some(seed),
            Owner::Zeros | Owner::Unknown => None,
        };
        let of_sectors = sectors.into_iter().flat_map(|sectors| sectors.0).filter_map(of_sector);
        let seeds = header.map(|(header, _)| header.seed).into_iter().chain(of_sectors).collect();
        self.swap_header(block, version);
        seeds
    }
}

/// The sectors of a block that hold content: where each begins in the block, and which write it belongs to.
struct Sectors(Vec<(usize, Owner)>);

impl Sectors {
    fn of(format: &BlockFormat, block: &[u8], version: HeaderVersion) -> Sectors {
        let proof = format.proof_bytes(version);
        let owners = block.chunks(SECTOR).enumerate().filter_map(|(n, sector)| {
            let at = n * SECTOR;
            let skip = proof.saturating_sub(at);
            let has_content = skip < sector.len() && !is_zeros_of_format(format, block.len(), at);
            has_content.then(|| (at, owner(sector, at, skip)))
        });
        Sectors(owners.collect())
    }

    fn count(&self, wanted: Owner) -> usize {
        self.0.iter().filter(|(_, owner)| *owner == wanted).count()
    }

    /// The write that most sectors belong to, of those that fit: its seed, and the place of its block.
    fn most(&self, fits: impl Fn(u64, u64) -> bool) -> Option<(u64, u64)> {
        let writes = self.0.iter().filter_map(|(_, owner)| match *owner {
            Owner::Write { seed, block } if fits(seed, block) => Some((seed, block)),
            _ => None,
        });
        writes.max_by_key(|&(seed, block)| self.count(Owner::Write { seed, block }))
    }

    /// Where the second part of a torn block begins: the first sector of another write than that of the header, or of the
    /// first sector.
    fn boundary(&self, of_header: Option<Owner>) -> u32 {
        let first = of_header.or(self.0.first().map(|(_, owner)| *owner));
        self.0.iter().find(|(_, owner)| Some(*owner) != first).map_or(0, |(at, _)| *at as u32)
    }
}

/// Are all bytes of the sector at `at` zeros by the format, for a drive that compresses?
fn is_zeros_of_format(format: &BlockFormat, block: usize, at: usize) -> bool {
    let chunk = CHUNK.min(block - at / CHUNK * CHUNK);
    at % CHUNK >= content_bytes(chunk, format.zero_percent)
}

/// A header that could be read.
type ReadHeader = Option<(Header, HeaderVersion)>;

impl Suspect<'_> {
    /// The place that the header names, if it is another one.
    fn other_place(&self, header: ReadHeader) -> Option<FaultKind> {
        let (header, _) = header.filter(|(header, _)| header.offset != self.at.offset)?;
        Some(FaultKind::Misplaced { belongs_at: header.offset })
    }

    /// What the content says, and the part of which it is true.
    fn of_content(&self, header: ReadHeader) -> (FaultKind, Option<WrongPart>) {
        let version = header.map_or(HeaderVersion::Short, |(_, version)| version);
        let (place, len) = (self.at.offset, self.block.len());
        let sectors = Sectors::of(self.format, self.block, version);
        let of_header = header.filter(|(header, _)| header.offset == place).map(|(header, _)| header.seed);
        let of_most = || sectors.most(|_, block| block == place).map(|(seed, _)| seed);
        let wanted = self.expected.seed.or(of_header).or_else(of_most);
        let right = wanted.map_or(0, |seed| sectors.count(Owner::Write { seed, block: place }));
        let zeros = sectors.count(Owner::Zeros);
        let is_header_of_wanted = header.is_some_and(|(header, _)| Some(header.seed) == wanted);
        let kind = match sectors.most(|seed, block| Some(seed) != wanted || block != place) {
            Some((_, block)) if block != place => FaultKind::Misplaced { belongs_at: block },
            Some((seed, _)) if right == 0 && zeros == 0 && !is_header_of_wanted => {
                FaultKind::Stale { of_this_run: (self.is_ours)(seed) }
            }
            Some(_) => {
                let first = header.map(|(header, _)| Owner::Write { seed: header.seed, block: place });
                FaultKind::Torn { at: sectors.boundary(first) }
            }
            None if zeros > 0 => FaultKind::Zeroed { bytes: (zeros * SECTOR).min(len) as u32 },
            None => self.of_right_content(header, wanted, right > 0),
        };
        let is_part = right > 0 && matches!(kind, FaultKind::Misplaced { .. } | FaultKind::Foreign);
        (kind, wanted.filter(|_| is_part).map(|seed| self.wrong_part(&sectors, seed)))
    }

    /// The sectors that do not belong to the write of `seed`; where all of them do, its header is wrong.
    fn wrong_part(&self, sectors: &Sectors, seed: u64) -> WrongPart {
        let right = Owner::Write { seed, block: self.at.offset };
        let mut wrong = sectors.0.iter().filter(|(_, owner)| *owner != right).map(|(at, _)| *at as u32);
        let sector_of_header = self.format.header_offset - self.format.header_offset % SECTOR as u32;
        match wrong.next() {
            Some(at) => WrongPart { sectors: 1 + wrong.count() as u32, at },
            None => WrongPart { sectors: 1, at: sector_of_header },
        }
    }

    /// No sector belongs to anything else: it is the header, single bits, or data that nothing identifies.
    fn of_right_content(&self, header: ReadHeader, wanted: Option<u64>, has_right: bool) -> FaultKind {
        if let Some(kind) = self.other_place(header) {
            return kind;
        }
        let other = header.map(|(header, _)| header.seed).filter(|seed| wanted.is_some_and(|it| it != *seed));
        if let Some(seed) = other {
            // The header of another write, before content of the wanted one or of nobody.
            return match has_right {
                true => FaultKind::Torn { at: SECTOR as u32 },
                false => FaultKind::Stale { of_this_run: (self.is_ours)(seed) },
            };
        }
        match wanted.and_then(|seed| self.flips(seed)) {
            Some((bits, first)) => FaultKind::BitFlip { bits, first },
            None if header.is_some() && !has_right => FaultKind::Checksum,
            None => FaultKind::Foreign,
        }
    }

    /// The bits in which the block differs from what the write of `seed` put there, and the first byte; `None` where they
    /// are too many. Fields of the header that cannot be known are taken as they are.
    fn flips(&self, seed: u64) -> Option<(u32, u32)> {
        let Suspect { format, block, at, .. } = *self;
        let stamp = self.stamp(seed).unwrap_or_else(|| self.stamp_with(seed, 0));
        let mut right = vec![0; block.len()];
        let flat = BlockFormat { header_offset: 0, ..format.clone() };
        flat.write_block(&mut right, at.offset, at.io, &stamp);
        let mut differing = block.iter().zip(&right).enumerate().filter(|(_, (is, should))| is != should);
        let (first, (is, should)) = differing.next()?;
        let bits = (is ^ should).count_ones()
            + differing.map(|(_, (is, should))| (is ^ should).count_ones()).sum::<u32>();
        (bits <= FLIPS_MAX).then_some((bits, first as u32))
    }

    /// When and by which clone the block was written, if the write of `seed` did: the header that was read says so, with no or one
    /// bit changed, where its checksum fits then. `None` where that does not fit, and where there is no header.
    fn stamp(&self, seed: u64) -> Option<Stamp> {
        let Suspect { format, block, at, .. } = *self;
        let bytes = HeaderVersion::Short.bytes();
        if !format.method.has_header() || block.len() < bytes {
            return None;
        }
        let stored = word(block, bytes - 4);
        let differing = |stamp: &Stamp| {
            let Stamp { seed, write, thread, seconds, nanos } = *stamp;
            let (method, len) = (format.method.number(), block.len() as u32);
            let mut header = [0; HeaderVersion::Short.bytes()];
            Header { method, len, seed, offset: at.offset, seconds, nanos, thread, write }.put(&mut header);
            (word(&header, bytes - 4) ^ stored).count_ones()
        };
        // A bit of the checksum may have changed, too.
        let as_read = self.stamp_with(seed, 0);
        let changed = || (0..96).map(|bit| self.stamp_with(seed, 1 << bit)).find(|it| differing(it) == 0);
        if differing(&as_read) <= 1 { Some(as_read) } else { changed() }
    }

    /// The write of `seed`, with what only the header says as it was read, but for some bits of its bytes from 24 to 36.
    fn stamp_with(&self, seed: u64, changed: u128) -> Stamp {
        let fields =
            (0..3).rev().fold(0, |all: u128, n| all << 32 | u128::from(word(self.block, 24 + 4 * n)));
        let fields = fields ^ changed;
        Stamp {
            seed,
            write: self.expected.write.unwrap_or((fields >> 80) as u16 as u64),
            thread: (fields >> 64) as u16,
            seconds: fields as u32,
            nanos: (fields >> 32) as u32,
        }
    }

    /// A block of a pattern, which names no write.
    fn of_pattern(&self, header: ReadHeader) -> FaultKind {
        let Suspect { format, block, at, .. } = *self;
        if let Some(kind) = self.other_place(header) {
            return kind;
        }
        let proof = format.proof_bytes(header.map_or(HeaderVersion::Short, |(_, version)| version));
        let mut right = vec![0; block.len()];
        format.content(&mut right, at.offset, at.io, 0);
        let differing = || {
            let bytes = block.iter().zip(&right).enumerate().skip(proof);
            bytes.filter(|(_, (is, should))| is != should)
        };
        let bits: u32 = differing().map(|(_, (is, should))| (is ^ should).count_ones()).sum();
        let first = differing().next().map_or(0, |(n, _)| n as u32);
        if bits <= FLIPS_MAX {
            // Where the content is right, the header is not.
            let of_header = || self.expected.seed.and_then(|seed| self.flips(seed)).unwrap_or((1, 0));
            let (bits, first) = if bits == 0 { of_header() } else { (bits, first) };
            return FaultKind::BitFlip { bits, first };
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
            () if zeros == wrong.len() => {
                FaultKind::Zeroed { bytes: (zeros * SECTOR).min(block.len()) as u32 }
            }
            () if wrong.len() == block.len().div_ceil(SECTOR) => FaultKind::Foreign,
            () => {
                let at = if wrong[0] == 0 { (wrong.len() * SECTOR) as u32 } else { wrong[0] as u32 };
                FaultKind::Torn { at }
            }
        }
    }
}

/// The four bytes from `from` on as a number.
fn word(block: &[u8], from: usize) -> u32 {
    let bytes = block.get(from..from + 4).and_then(|part| part.try_into().ok());
    u32::from_le_bytes(bytes.unwrap_or_default())
}
