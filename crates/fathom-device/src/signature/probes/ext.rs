//! ext2, ext3, ext4 and their external journal.

use super::Found;
use crate::signature::View;

const SUPERBLOCK: u64 = 1024;

/// Names follow the feature words (linux/fs/ext4/ext4.h).
pub fn ext(view: &View) -> Found {
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
