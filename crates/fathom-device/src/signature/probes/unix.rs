//! File systems of the Unixes whose superblock may be at many places.

use super::Found;
use crate::signature::View;

/// UFS 1 and 2: the superblock is at 0, 8, 64 or 256 KiB, in either byte
/// order, and its first copy 16, 80 or 96 KiB into the volume
/// (linux/fs/ufs/ufs_fs.h; FreeBSD newfs(8)).
pub fn ufs(view: &View) -> Found {
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
pub fn sysv(view: &View) -> Found {
    const MAGIC_AT: u64 = 512 + 0x1f8;
    const MAGIC: u32 = 0xfd18_7e20;
    let places = [0, 9, 15, 18].map(|kib: u64| (kib << 10) + MAGIC_AT);
    let is_there = |at: &u64| matches!(view.le_u32(*at), Some(m) if m == MAGIC || m.swap_bytes() == MAGIC);
    Some(("System V file system", places.into_iter().find(is_there)?))
}

/// An external log of XFS: a record's header, in one of the first 512
/// sectors (xfs_log_format.h).
pub fn xfs_log(view: &View) -> Found {
    const HEADER: [u8; 4] = [0xfe, 0xed, 0xba, 0xbe];
    if view.holds(0, b"XFSB") {
        return None;
    }
    let mut sectors = (0..512).map(|sector| sector * 512);
    Some(("XFS log", sectors.find(|&at| view.holds(at, &HEADER))?))
}
