//! The content behind a header, which follows from the seed and the place.
//!
//! Content must look random to a drive that compresses or finds duplicates, be made at the speed of memory, and say of
//! every 512 bytes to which write and which place they belong. So it is a table of random bytes, the same in every
//! run, combined by exclusive or with a key of 32 bytes that changes every 4 KiB. The key holds the seed and the
//! offset, so both can be read back from any 32 bytes.

use crate::scramble::{mix, scramble, unscramble};
use std::sync::OnceLock;

/// Bytes of the table: it stays in the cache of a core.
pub(crate) const TABLE: usize = 64 << 10;
/// Bytes after which the key changes, so that no two parts of a block are equal.
pub(crate) const CHUNK: usize = 4096;
/// Bytes of a key.
pub(crate) const KEY: usize = 32;
/// The unit in which content is identified: the smallest sector of a disk.
pub(crate) const SECTOR: usize = 512;

/// The first state of the generator of the table; any number does, but it must never change.
const TABLE_SEED: u64 = 0x6661_7468_6f6d_2031;

type Key = [u64; KEY / 8];

/// The table; each of its words is stored with its lowest byte first.
pub(crate) fn table() -> &'static [u8; TABLE] {
    static CONTENT: OnceLock<Box<[u8; TABLE]>> = OnceLock::new();
    CONTENT.get_or_init(|| {
        let words = (0..TABLE as u64 / 8).map(|at| mix(TABLE_SEED.wrapping_add(at)));
        let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        bytes.try_into().unwrap_or_else(|_| unreachable!("the table has its length"))
    })
}

/// The key of the chunk at `place` of the file, made by the write of `seed`.
fn key(seed: u64, place: u64) -> Key {
    let first = seed ^ mix(place);
    [first, scramble(place ^ first), mix(seed ^ place), mix(seed.wrapping_add(place).rotate_left(17))]
}

/// The bytes of [`key`], as they are combined with the table.
pub(crate) fn key_bytes(seed: u64, place: u64) -> [u8; KEY] {
    let mut bytes = [0; KEY];
    for (place, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(key(seed, place)) {
        *place = word.to_le_bytes();
    }
    bytes
}

/// The write and the place that a key names, if it is one.
fn read_key(key: Key) -> Option<(u64, u64)> {
    let place = unscramble(key[1]) ^ key[0];
    let seed = key[0] ^ mix(place);
    (self::key(seed, place) == key).then_some((seed, place))
}

/// Fills `block`, whose first byte belongs at `offset` of its file, with the content of the write of `seed`. The last
/// `zero_percent` of every chunk are zeros, for a drive that compresses.
pub(crate) fn fill(block: &mut [u8], seed: u64, offset: u64, zero_percent: u32) {
    let table = table();
    for (at, chunk) in block.chunks_mut(CHUNK).enumerate() {
        let from = at * CHUNK;
        let content = content_bytes(chunk.len(), zero_percent);
        combine(&mut chunk[..content], &table[from % TABLE..], key_bytes(seed, offset + from as u64));
        chunk[content..].fill(0);
    }
}

/// Bytes of a chunk before its zeros.
pub(crate) fn content_bytes(chunk: usize, zero_percent: u32) -> usize {
    chunk - chunk * zero_percent.min(100) as usize / 100
}

/// Makes the table, so that the first write does not have to.
pub(crate) fn prepare() {
    table();
}

/// Keys that are combined in one round of the loop, so that counting the rounds costs little.
const ROUND: usize = 4;

/// Words of 64 bits, because the compiler combines single bytes one by one in some builds (it did where the whole program is
/// optimised at once), and these never.
#[inline(never)]
fn combine(chunk: &mut [u8], table: &[u8], key: [u8; KEY]) {
    let key_words: Key = std::array::from_fn(|n| word(&key[n * 8..]));
    let (units, rest) = chunk.as_chunks_mut::<KEY>();
    let (table_units, table_rest) = table.split_at(units.len() * KEY);
    let table_units = table_units.as_chunks::<KEY>().0;
    let (rounds, units) = units.as_chunks_mut::<ROUND>();
    let (table_rounds, table_units) = table_units.as_chunks::<ROUND>();
    for (round, table) in rounds.iter_mut().zip(table_rounds) {
        for (unit, table) in round.iter_mut().zip(table) {
            combine_unit(unit, table, key_words);
        }
    }
    for (unit, table) in units.iter_mut().zip(table_units) {
        combine_unit(unit, table, key_words);
    }
    for ((byte, table), key) in rest.iter_mut().zip(table_rest).zip(key) {
        *byte = table ^ key;
    }
}

#[inline(always)]
fn combine_unit(unit: &mut [u8; KEY], table: &[u8; KEY], key: Key) {
    let combined: Key = std::array::from_fn(|n| word(&table[n * 8..]) ^ key[n]);
    for (place, word) in unit.as_chunks_mut::<8>().0.iter_mut().zip(combined) {
        *place = word.to_ne_bytes();
    }
}

/// The first 8 bytes as a number, in the order of this machine: bytes that are combined keep their places in any order.
fn word(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |word| u64::from_ne_bytes(*word))
}

/// What the bytes of one sector are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    /// Content of a write: its seed, and the offset in the file at which the block of this content began.
    Write { seed: u64, block: u64 },
    /// All zeros.
    Zeros,
    /// Nothing that fathom writes, or too damaged to be known.
    Unknown,
}

/// The write to which a sector belongs that begins `at` bytes after the start of its block. Most of the sector may be
/// damaged: 32 bytes are enough. `skip` bytes at its start are not content (the header).
pub(crate) fn owner(sector: &[u8], at: usize, skip: usize) -> Owner {
    if sector.iter().all(|&byte| byte == 0) {
        return Owner::Zeros;
    }
    let table = table();
    let units = sector.as_chunks::<KEY>().0.iter().enumerate().skip(skip.div_ceil(KEY));
    for (n, unit) in units {
        let from = at + n * KEY;
        let mut key = Key::default();
        let words = unit.as_chunks::<8>().0.iter().zip(table[from % TABLE..].as_chunks::<8>().0);
        for (key, (word, of_table)) in key.iter_mut().zip(words) {
            *key = u64::from_le_bytes(*word) ^ u64::from_le_bytes(*of_table);
        }
        if let Some((seed, place)) = read_key(key) {
            let chunk = (from - from % CHUNK) as u64;
            return Owner::Write { seed, block: place.wrapping_sub(chunk) };
        }
    }
    Owner::Unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sector_names_its_write_and_its_place() {
        let mut block = vec![0; 160 << 10];
        fill(&mut block, 0xfeed_0001, 1 << 40, 0);
        for (n, sector) in block.chunks(SECTOR).enumerate() {
            let owner = owner(sector, n * SECTOR, 0);
            assert_eq!(owner, Owner::Write { seed: 0xfeed_0001, block: 1 << 40 }, "sector {n}");
        }
        assert_eq!(owner(&block[512..1024], 0, 0), Owner::Unknown, "another place of the table");
        assert_eq!(owner(&[0; 512], 0, 0), Owner::Zeros);
        assert_eq!(owner(&[7; 512], 0, 0), Owner::Unknown);
    }

    #[test]
    fn content_neither_repeats_nor_compresses() {
        use std::collections::HashSet;
        let mut block = vec![0; 256 << 10];
        fill(&mut block, 5, 0, 0);
        let words: HashSet<&[u8]> = block.chunks(8).collect();
        assert_eq!(words.len(), block.len() / 8);
        let ones: u32 = block.iter().map(|byte| byte.count_ones()).sum();
        assert!((ones as f64 / (block.len() * 8) as f64 - 0.5).abs() < 0.002, "{ones}");
    }

    #[test]
    fn a_share_of_zeros_and_odd_lengths_are_kept() {
        let mut block = vec![1; 8192];
        fill(&mut block, 9, 0, 25);
        assert!(block[3072..4096].iter().all(|&byte| byte == 0));
        assert!(block[4096..4200].iter().filter(|&&byte| byte == 0).count() < 5);
        let (mut long, mut short) = (vec![0; 512], vec![0; 77]);
        fill(&mut long, 3, 4096, 0);
        fill(&mut short, 3, 4096, 0);
        assert_eq!(long[..77], short);
    }
}
