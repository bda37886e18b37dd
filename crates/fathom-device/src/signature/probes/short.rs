//! Formats whose magic is two bytes, with what else has to be true of them.

use super::Found;
use crate::signature::View;

/// Minix 1, 2 and 3 in either byte order (linux/minix_fs.h): the two bitmaps
/// have at least a block each. An ext superblock can look like it.
pub fn minix(view: &View) -> Found {
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
pub fn hfs(view: &View) -> Found {
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
pub fn nilfs(view: &View) -> Found {
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
pub fn core_storage(view: &View) -> Found {
    let found = view.holds(88, b"CS") && view.le_u16(8)? == 1 && view.le_u32(90)? == 1;
    found.then_some(("Apple Core Storage", 88))
}
