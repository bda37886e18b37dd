//! A unit of the region: how it is filled, and what one that was read holds.

use super::log::LogHeader;
use super::workload::CutWrite;
use crate::block::{BlockFormat, Stamp};
use crate::body::{self, Owner, SECTOR};
use crate::checksum::crc32c;
use crate::header::{Header, HeaderVersion};
use crate::lineage::{Lineage, WriteName};
use crate::method::Method;

/// No run has as many writes; a seed that names a higher one is not of this run.
const WRITES_MAX: u64 = 1 << 40;

/// How units are filled and recognised.
#[derive(Clone, Debug)]
pub struct UnitFormat {
    unit: usize,
    lineage: Lineage,
    blocks: BlockFormat,
}

/// What a unit holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitContent {
    /// All of this write of the run, at its place.
    Write(u64),
    /// Zeros.
    Zeros,
    /// The unit of another place of this run.
    OtherPlace {
        /// The offset at which it belongs.
        belongs_at: u64,
    },
    /// A whole block of another run, or of a verifying job.
    OtherRun,
    /// Parts of different contents.
    Torn {
        /// Where the second part begins, bytes from the start of the unit.
        at: u32,
        /// The write of the first part; `None` if it is none of this run and place.
        first: Option<u64>,
        /// The write of the second part.
        second: Option<u64>,
    },
    /// A write of the run at its place, of which some bytes are wrong.
    Damaged(u64),
    /// Nothing that this run has written.
    Foreign,
}

/// What a part of a unit belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Write(u64),
    Elsewhere(u64),
    Other,
}

impl UnitFormat {
    /// The format of the run of this log.
    pub fn new(header: &LogHeader) -> UnitFormat {
        let blocks = BlockFormat {
            method: Method::Crc32c,
            interval: Some(header.unit),
            header_offset: 0,
            pattern: None,
            pattern_per_interval: false,
            zero_percent: 0,
        };
        blocks.prepare();
        UnitFormat { unit: header.unit as usize, lineage: Lineage::new(header.key), blocks }
    }

    /// Bytes of a unit.
    pub fn unit(&self) -> usize {
        self.unit
    }

    /// Fills the units of a write; `into` has their bytes.
    pub fn fill(&self, write: &CutWrite, into: &mut [u8]) {
        let seed = self.lineage.seed(WriteName { writer: 0, number: write.number });
        let stamp = Stamp { seed, write: write.number, thread: 1, seconds: 0, nanos: 0 };
        self.blocks.write(into, write.offset, &stamp);
    }

    /// What the unit at `offset` of the target holds.
    pub fn content(&self, unit: &[u8], offset: u64) -> UnitContent {
        let header = self.whole_header(unit);
        if let Some(header) = header.filter(|header| self.has_checksum(unit, header)) {
            return match self.number(header.seed) {
                Some(write) if header.offset == offset => UnitContent::Write(write),
                Some(_) => UnitContent::OtherPlace { belongs_at: header.offset },
                None => UnitContent::OtherRun,
            };
        }
        if unit.iter().all(|&byte| byte == 0) {
            return UnitContent::Zeros;
        }
        self.in_parts(unit, offset, header)
    }

    /// The write of this run that a seed names.
    fn number(&self, seed: u64) -> Option<u64> {
        let written = |writer| if writer == 0 { WRITES_MAX } else { 0 };
        self.lineage.origin(seed, written).map(|write| write.number)
    }

    fn whole_header(&self, unit: &[u8]) -> Option<Header> {
        let (header, version) = Header::read(unit).ok()?;
        (version == HeaderVersion::Short && header.len as usize == self.unit).then_some(header)
    }

    fn has_checksum(&self, unit: &[u8], header: &Header) -> bool {
        let (head, proof) = (HeaderVersion::Short.bytes(), self.blocks.proof_bytes(HeaderVersion::Short));
        header.method == Method::Crc32c.number() && unit[head..proof] == crc32c(&unit[proof..]).to_le_bytes()
    }

    /// A unit that is no whole block: the parts of which it consists.
    fn in_parts(&self, unit: &[u8], offset: u64, header: Option<Header>) -> UnitContent {
        let proof = self.blocks.proof_bytes(HeaderVersion::Short);
        let of_header = header.map(|header| (0, self.part(header.seed, header.offset, offset)));
        let sectors = unit.chunks(SECTOR).enumerate().map(|(n, sector)| {
            let (at, skip) = (n * SECTOR, if n == 0 { proof } else { 0 });
            let part = match body::owner(sector, at, skip) {
                Owner::Write { seed, block } => self.part(seed, block, offset),
                Owner::Zeros | Owner::Unknown => Part::Other,
            };
            // The content of the first sector begins behind the header.
            (at.max(skip), part)
        });
        let parts: Vec<(usize, Part)> = of_header.into_iter().chain(sectors).collect();
        let write = |part: Part| if let Part::Write(write) = part { Some(write) } else { None };
        let elsewhere = parts.iter().find_map(|(_, part)| match part {
            Part::Elsewhere(belongs_at) => Some(*belongs_at),
            _ => None,
        });
        let first = parts[0].1;
        let second = parts.iter().find(|(_, part)| *part != first);
        let has_ours = parts.iter().any(|(_, part)| write(*part).is_some());
        match (second, elsewhere, write(first)) {
            (Some(&(at, part)), _, _) if has_ours => {
                UnitContent::Torn { at: at as u32, first: write(first), second: write(part) }
            }
            (_, Some(belongs_at), _) => UnitContent::OtherPlace { belongs_at },
            (None, _, Some(write)) => UnitContent::Damaged(write),
            _ => UnitContent::Foreign,
        }
    }

    fn part(&self, seed: u64, belongs_at: u64, offset: u64) -> Part {
        match self.number(seed) {
            Some(write) if belongs_at == offset => Part::Write(write),
            Some(_) => Part::Elsewhere(belongs_at),
            None => Part::Other,
        }
    }
}
