//! File systems and swap areas whose superblock may be at many places, or whose magic is short.

use super::Match;
use crate::signature::View;

/// UFS 1 and 2: the superblock is at 0, 8, 64 or 256 KiB, in either byte
/// order, and its first copy 16, 80 or 96 KiB into the volume
/// (linux/fs/ufs/ufs_fs.h; FreeBSD newfs(8)).
pub fn ufs(view: &View) -> Match {
    const MAGIC_AT: u64 = 0x55c;
    const MAGICS: [u32; 6] = [0x1954_0119, 0x0001_1954, 0x0019_5612, 0x0009_5014, 0x0061_2195, 0x0523_1994];
    let places = [0, 8, 64, 256, 16, 80, 96].map(|kib: u64| (kib << 10) + MAGIC_AT);
    let is_there = |at: &u64| {
        let magic = view.le_u32(*at);
        magic.is_some_and(|magic| MAGICS.contains(&magic) || MAGICS.contains(&magic.swap_bytes()))
    };
    Some(("UFS", places.into_iter().find(is_there)?))
}

/// System V: 512 bytes into block 0, 9, 15 or 18 of 1 KiB
/// (linux/sysv_fs.h).
pub fn sysv(view: &View) -> Match {
    const MAGIC_AT: u64 = 512 + 0x1f8;
    const MAGIC: u32 = 0xfd18_7e20;
    let places = [0, 9, 15, 18].map(|kib: u64| (kib << 10) + MAGIC_AT);
    let is_there = |at: &u64| matches!(view.le_u32(*at), Some(m) if m == MAGIC || m.swap_bytes() == MAGIC);
    Some(("System V file system", places.into_iter().find(is_there)?))
}

/// An external log of XFS: a record's header, in one of the first 512
/// sectors (xfs_log_format.h).
pub fn xfs_log(view: &View) -> Match {
    const HEADER: [u8; 4] = [0xfe, 0xed, 0xba, 0xbe];
    if view.holds(0, b"XFSB") {
        return None;
    }
    let mut sectors = (0..512).map(|sector| sector * 512);
    Some(("XFS log", sectors.find(|&at| view.holds(at, &HEADER))?))
}

const SUPERBLOCK: u64 = 1024;

/// Names follow the feature words (linux/fs/ext4/ext4.h).
pub fn ext(view: &View) -> Match {
    const HAS_JOURNAL: u32 = 0x4;
    const JOURNAL_DEV: u32 = 0x8;
    const EXTENTS_64BIT_FLEX_BG: u32 = 0x40 | 0x80 | 0x200;
    let is_there = view.holds(SUPERBLOCK + 0x38, &[0x53, 0xef]) && is_possible(view, SUPERBLOCK)?;
    if !is_there {
        return None;
    }
    let compat = view.le_u32(SUPERBLOCK + 0x5c)?;
    let incompat = view.le_u32(SUPERBLOCK + 0x60)?;
    let name = match () {
        () if incompat & JOURNAL_DEV != 0 => "ext journal",
        () if incompat & EXTENTS_64BIT_FLEX_BG != 0 => "ext4",
        () if compat & HAS_JOURNAL != 0 => "ext3",
        () => "ext2",
    };
    Some((name, SUPERBLOCK + 0x38))
}

/// Whether the block size and the revision of the superblock at this place
/// are possible. The magic is two bytes, which random data hits once in
/// 65,536 blocks.
pub fn is_possible(view: &View, superblock: u64) -> Option<bool> {
    Some(view.le_u32(superblock + 0x18)? <= 6 && view.le_u32(superblock + 0x4c)? <= 1)
}

/// Minix 1, 2 and 3 in either byte order (linux/minix_fs.h): the two bitmaps
/// have at least a block each. An ext superblock can look like it.
pub fn minix(view: &View) -> Match {
    const SUPERBLOCK: u64 = 1024;
    let is = |at: u64, magics: &[u16]| {
        let magic = view.le_u16(SUPERBLOCK + at);
        magic.is_some_and(|magic| magics.contains(&magic) || magics.contains(&magic.swap_bytes()))
    };
    let has = |at: u64| view.le_u16(SUPERBLOCK + at).is_some_and(|blocks| blocks != 0);
    let old = is(0x10, &[0x137f, 0x138f, 0x2468, 0x2478]) && has(4) && has(6);
    let new = is(0x18, &[0x4d5a]) && has(6) && has(8);
    let at = SUPERBLOCK + if old { 0x10 } else { 0x18 };
    let is_ext = view.holds(SUPERBLOCK + 0x38, &[0x53, 0xef]);
    ((old || new) && !is_ext).then_some(("Minix", at))
}

/// HFS and HFS Plus: the volume header is at 1 KiB, its copy 1 KiB before the
/// end (Apple technical note 1150).
pub fn hfs(view: &View) -> Match {
    let places = [Some(1024), view.from_end(1024)];
    places.into_iter().flatten().find_map(|at| Some((hfs_at(view, at)?, at)))
}

fn hfs_at(view: &View, at: u64) -> Option<&'static str> {
    let header = view.at(at, 4)?;
    let version = u16::from_be_bytes([header[2], header[3]]);
    let block_bytes = |offset| view.be_u32(at + offset).filter(|&bytes| bytes >= 512);
    match header {
        [b'H', b'+' | b'X', ..] if matches!(version, 4 | 5) || block_bytes(0x28)?.is_power_of_two() => {
            Some("HFS Plus")
        }
        [b'B', b'D', ..] if block_bytes(0x14)? % 512 == 0 => Some("HFS"),
        _ => None,
    }
}

/// NILFS2: the superblock is at 1 KiB, its copy 4 KiB before the end, and it
/// says how long it is and how long the device (linux/nilfs2_ondisk.h).
pub fn nilfs(view: &View) -> Match {
    let is_there = |at: &u64| {
        let superblock_bytes = view.le_u16(at + 8).unwrap_or(0);
        let device =
            view.at(at + 0x20, 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes);
        view.holds(at + 6, &[0x34, 0x34])
            && (1..=1024).contains(&superblock_bytes)
            && (1..=view.size_bytes).contains(&device)
    };
    let mut places = [Some(1024), view.from_end(8 * 512)].into_iter().flatten();
    Some(("NILFS2", places.find(is_there)? + 6))
}

/// Apple Core Storage, which FileVault 2 encrypts: version 1, checksum of
/// kind 1 (libfvde, "FileVault Drive Encryption format").
pub fn core_storage(view: &View) -> Match {
    let matching = view.holds(88, b"CS") && view.le_u16(8)? == 1 && view.le_u32(90)? == 1;
    matching.then_some(("Apple Core Storage", 88))
}

/// The anchor is block 256, the last block, or the one 256 blocks before; its
/// tag says which block it is, and has a checksum (ECMA-167 3/7.2, 3/8.4.2.1).
pub fn anchor(view: &View) -> Match {
    // If the device names its format at its start, the table of magics finds it.
    if view.at(0x8001, 3)? != [0, 0, 0] {
        return None;
    }
    let places = [512, 1024, 2048, 4096u64].into_iter().flat_map(|block_bytes| {
        let last = (view.size_bytes / block_bytes).checked_sub(1);
        let blocks = [Some(256), last.and_then(|last| last.checked_sub(256)), last];
        blocks.into_iter().flatten().map(move |block| (block, block * block_bytes))
    });
    let mut matching = places.filter(|(block, at)| is_anchor(view, *block, *at) == Some(true));
    Some(("UDF (anchor)", matching.next()?.1))
}

fn is_anchor(view: &View, block: u64, at: u64) -> Option<bool> {
    let tag = view.at(at, 16)?;
    let sum = tag[..4].iter().chain(&tag[5..]).fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    let is_descriptor = view.le_u16(at)? == 2 && matches!(view.le_u16(at + 2)?, 2 | 3);
    Some(is_descriptor && sum == tag[4] && u64::from(view.le_u32(at + 12)?) == block)
}

/// The magic ends the first page, and pages have 4 to 64 KiB, by architecture
/// (linux/swap.h; the kernel and others put theirs over it when they
/// hibernate).
const MAGICS: [(&str, &[u8]); 6] = [
    ("swap", b"SWAPSPACE2"),
    ("swap (old)", b"SWAP-SPACE"),
    ("hibernation image", b"S1SUSPEND"),
    ("hibernation image", b"S2SUSPEND"),
    ("hibernation image", b"ULSUSPEND"),
    ("hibernation image", b"LINHIB0001"),
];

/// TuxOnIce keeps a magic of its own at the start.
const TUX_ON_ICE: [u8; 8] = [0xed, 0xc3, 0x02, 0xe9, 0x98, 0x56, 0xe5, 0x0c];

pub fn swap(view: &View) -> Match {
    if view.holds(0, &TUX_ON_ICE) {
        return Some(("hibernation image", 0));
    }
    let places = (12..=16).map(|log2| (1u64 << log2) - 10);
    places.into_iter().find_map(|at| {
        let (name, _) = MAGICS.iter().find(|(_, magic)| view.holds(at, magic))?;
        Some((*name, at))
    })
}
