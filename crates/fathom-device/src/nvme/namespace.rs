//! Identify Namespace (CNS 0): size, use, and the block formats it can have.

use super::{Fields, Malformed, ask};
use crate::ask::Question;
use crate::root::{Root, Unknown};
use serde::{Deserialize, Serialize};

const NAME: &str = "Identify Namespace";
const BYTES: usize = 4096;
/// Where the list of formats begins; four bytes each, 64 at most.
const FORMATS: usize = 128;
const FORMATS_MAX: usize = 64;
/// The smallest block that NVMe has (LBADS is at least 9).
const BLOCK_LOG2_MIN: u8 = 9;
/// The largest exponent that is accepted, so that a size fits into 32 bits.
const BLOCK_LOG2_MAX: u8 = 31;

/// What a namespace says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Namespace {
    /// Size in logical blocks (NSZE).
    pub size_blocks: u64,
    /// Blocks that may be allocated (NCAP).
    pub capacity_blocks: u64,
    /// Blocks that are allocated (NUSE).
    pub used_blocks: u64,
    /// Other controllers may use it too (NMIC bit 0).
    pub is_shared: bool,
    /// Write-protected (NSATTR bit 0).
    pub is_write_protected: bool,
    /// Protection information in use: 0 none, 1 to 3 the type (DPS bits 0 to 2).
    pub protection_type: u8,
    /// Protection information comes first in the metadata (DPS bit 3).
    pub protection_first: bool,
    /// Metadata is part of the block's data, not a buffer of its own
    /// (FLBAS bit 4).
    pub has_extended_blocks: bool,
    /// What deallocated blocks read as (DLFEAT bits 0 to 2).
    pub deallocated_reads: Deallocated,
    /// Write Zeroes may deallocate (DLFEAT bit 3).
    pub zeroes_deallocate: bool,
    /// How far a format has come (FPI); `None`: the drive does not report that.
    pub format_progress: Option<FormatProgress>,
    /// Formats in the drive's order; those that it no longer supports are
    /// left out (LBADS 0).
    pub formats: Vec<LbaFormat>,
    /// Index of the format in use.
    pub format_index: u8,
    /// NGUID as hexadecimal, if it has one.
    pub nguid: Option<String>,
}

/// What reading a deallocated block gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Deallocated {
    /// The drive does not say.
    Unspecified,
    /// Zeroes.
    Zeroes,
    /// All bits set.
    Ones,
}

/// How far a format has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatProgress {
    /// Per cent that are still to do; 0 when none is under way.
    pub percent_left: u8,
}

/// One format of logical blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LbaFormat {
    /// Index by which Format NVM names it.
    pub index: u8,
    /// Data in a block, in bytes.
    pub data_bytes: u32,
    /// Metadata with a block, in bytes.
    pub metadata_bytes: u16,
    /// Relative performance: 0 best, 1 better, 2 good, 3 degraded (RP).
    pub relative_performance: u8,
}

impl Namespace {
    /// Asks about namespace `nsid` of the controller `nvmeN`.
    pub fn read(root: &Root, controller: &str, nsid: u32) -> Result<Self, Unknown> {
        let controller = controller.to_owned();
        ask(root, &Question::NvmeNamespace { controller, nsid }, Self::parse)
    }

    /// Parses the 4,096 bytes of Identify. A namespace that is not active
    /// answers zeroes, which is not a valid namespace.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let f = Fields::of(NAME, bytes, BYTES)?;
        let flbas = f.u8(26);
        let namespace = Self {
            size_blocks: f.u64(0),
            capacity_blocks: f.u64(8),
            used_blocks: f.u64(16),
            is_shared: f.bit(30, 0),
            is_write_protected: f.bit(99, 0),
            protection_type: f.u8(29) & 7,
            protection_first: f.bit(29, 3),
            has_extended_blocks: flbas >> 4 & 1 == 1,
            deallocated_reads: match f.u8(33) & 7 {
                1 => Deallocated::Zeroes,
                2 => Deallocated::Ones,
                _ => Deallocated::Unspecified,
            },
            zeroes_deallocate: f.bit(33, 3),
            format_progress: f.bit(32, 7).then_some(FormatProgress { percent_left: f.u8(32) & 0x7f }),
            formats: formats(f),
            format_index: format_index(f),
            nguid: name(&bytes[104..120]),
        };
        match namespace.size_blocks > 0 && namespace.find(namespace.format_index).is_some() {
            true => Ok(namespace),
            false => Err(Malformed::Impossible {
                structure: NAME,
                what: format!("{} blocks of format {}", namespace.size_blocks, namespace.format_index),
            }),
        }
    }

    /// The format in use.
    pub fn format(&self) -> LbaFormat {
        self.find(self.format_index).expect("parse lets no namespace without its format through")
    }

    /// The format with this index.
    pub fn find(&self, index: u8) -> Option<LbaFormat> {
        self.formats.iter().copied().find(|format| format.index == index)
    }

    /// The best format with blocks of `data_bytes`: without metadata, then by
    /// relative performance.
    pub fn best_format(&self, data_bytes: u32) -> Option<LbaFormat> {
        let fits = self.formats.iter().copied().filter(|format| format.data_bytes == data_bytes);
        fits.min_by_key(|format| (format.metadata_bytes, format.relative_performance, format.index))
    }
}

fn formats(f: Fields<'_>) -> Vec<LbaFormat> {
    let count = (usize::from(f.u8(25)) + 1).min(FORMATS_MAX);
    let format = |index: usize| {
        let at = FORMATS + 4 * index;
        let log2 = f.u8(at + 2);
        (BLOCK_LOG2_MIN..=BLOCK_LOG2_MAX).contains(&log2).then(|| LbaFormat {
            index: index as u8,
            data_bytes: 1 << log2,
            metadata_bytes: f.u16(at),
            relative_performance: f.u8(at + 3) & 3,
        })
    };
    (0..count).filter_map(format).collect()
}

/// Four low bits, and since there may be more than 16 formats two high ones.
fn format_index(f: Fields<'_>) -> u8 {
    let flbas = f.u8(26);
    let high = if f.u8(25) >= 16 { flbas >> 5 & 3 } else { 0 };
    high << 4 | flbas & 0xf
}

fn name(bytes: &[u8]) -> Option<String> {
    let is_set = bytes.iter().any(|&b| b != 0);
    is_set.then(|| bytes.iter().map(|b| format!("{b:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1,000 blocks; formats 512, 512+8, 4096+8 and 4096, the second in use.
    fn bytes() -> Vec<u8> {
        let mut bytes = vec![0; BYTES];
        bytes[0..2].copy_from_slice(&1000u16.to_le_bytes());
        bytes[8..10].copy_from_slice(&1000u16.to_le_bytes());
        bytes[16] = 250;
        bytes[25] = 3;
        bytes[26] = 0x11;
        bytes[32] = 0x80 | 40;
        bytes[33] = 0b1001;
        let list = [[0, 0, 9, 2], [8, 0, 9, 1], [8, 0, 12, 0], [0, 0, 12, 1]];
        bytes[128..144].copy_from_slice(list.as_flattened());
        bytes
    }

    #[test]
    fn formats_size_and_use() {
        let ns = Namespace::parse(&bytes()).unwrap();
        assert_eq!(ns.format().data_bytes, 512);
        assert_eq!((ns.format().metadata_bytes, ns.has_extended_blocks), (8, true));
        assert_eq!(ns.size_blocks, 1000);
        assert_eq!((ns.used_blocks, ns.capacity_blocks), (250, 1000));
        assert_eq!(ns.format_progress, Some(FormatProgress { percent_left: 40 }));
        assert_eq!(ns.deallocated_reads, Deallocated::Zeroes);
        assert!(ns.zeroes_deallocate);
        // Without metadata, although one with metadata says it is faster.
        assert_eq!(ns.best_format(4096).unwrap().index, 3);
        assert_eq!(ns.best_format(520), None);
    }

    #[test]
    fn inactive_and_garbled_namespaces_are_none() {
        assert!(Namespace::parse(&[0; BYTES]).is_err());
        assert!(Namespace::parse(&[0xff; 16]).is_err());
        let mut unusable = bytes();
        unusable[128 + 4 + 2] = 3;
        assert!(Namespace::parse(&unusable).is_err(), "the format in use has blocks of 8 bytes");
    }
}
