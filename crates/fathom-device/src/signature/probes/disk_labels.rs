//! Disk labels of other machines than PCs.

use super::Found;
use crate::signature::View;

/// Apple: the driver descriptor in block 0 says how long a block is, and the
/// partition map begins in block 1 (Inside Macintosh: Devices, chapter 3).
pub fn apple(view: &View) -> Found {
    let descriptor = view.at(0, 4)?;
    let block_bytes = u64::from(u16::from_be_bytes([descriptor[2], descriptor[3]]));
    let is_map = view.holds(block_bytes, b"PM") || view.holds(block_bytes, b"TS");
    (descriptor[..2] == *b"ER" && is_map).then_some(("Apple partition map", block_bytes))
}

/// Sun: a magic of two bytes, and all words of the sector make zero by
/// exclusive or (linux/block/partitions/sun.c).
pub fn sun(view: &View) -> Found {
    let sector = view.at(0, 512)?;
    let sum = sector.chunks(2).fold([0, 0], |sum, word| [sum[0] ^ word[0], sum[1] ^ word[1]]);
    (sector[508..510] == [0xda, 0xbe] && sum == [0, 0]).then_some(("Sun disk label", 508))
}

/// Atari: no magic at all, so all four entries must make sense: active ones have a name of three
/// letters or digits and are on the disk, others have no flag but the one for booting
/// (linux/block/partitions/atari.c). libblkid is content with one sensible entry, and so accepts
/// one in fifty disks full of random bytes; a disk that an Atari partitioned passes both tests.
pub fn atari(view: &View) -> Found {
    const DISK_SECTORS: u64 = 0x1c2;
    const ENTRIES: [u64; 4] = [0x1c6, 0x1d2, 0x1de, 0x1ea];
    const IS_ACTIVE: u8 = 1;
    let disk_sectors = view.be_u32(DISK_SECTORS)?;
    let disk_fits = u64::from(disk_sectors) <= view.size_bytes / 512;
    let mut first_active = None;
    for at in ENTRIES {
        let entry = view.at(at, 4)?;
        let (start, sectors) = (view.be_u32(at + 4)?, view.be_u32(at + 8)?);
        if entry[0] & IS_ACTIVE == 0 {
            if entry[0] & 0x7f != 0 {
                return None;
            }
            continue;
        }
        let is_named = entry[1..].iter().all(|letter| letter.is_ascii_alphanumeric() || *letter >= 0xc0);
        let fits = start.checked_add(sectors).is_some_and(|end| end <= disk_sectors);
        if !is_named || !fits || start == 0 || sectors == 0 {
            return None;
        }
        first_active = first_active.or(Some(at));
    }
    first_active.filter(|_| disk_fits).map(|at| ("Atari partition table", at))
}

/// Amiga: the rigid disk block is one of the first 16 sectors
/// (linux/affs_hardblocks.h).
pub fn amiga(view: &View) -> Found {
    let mut sectors = (0..16).map(|sector| sector * 512);
    let at = sectors.find(|&at| view.holds(at, b"RDSK"))?;
    Some(("Amiga disk label", at))
}

/// IBM mainframe: the volume label is in block 2, in EBCDIC: `VOL1` after a
/// key of four bytes, `LNX1` or `CMS1` without one
/// (linux/block/partitions/ibm.c).
pub fn dasd(view: &View) -> Found {
    const VOL1: [u8; 4] = [0xe5, 0xd6, 0xd3, 0xf1];
    const LNX1: [u8; 4] = [0xd3, 0xd5, 0xe7, 0xf1];
    const CMS1: [u8; 4] = [0xc3, 0xd4, 0xe2, 0xf1];
    let mut blocks = [512, 1024, 2048, 4096].map(|block_bytes| 2 * block_bytes).into_iter();
    let is_label = |&at: &u64| view.holds(at + 4, &VOL1) || view.holds(at, &LNX1) || view.holds(at, &CMS1);
    Some(("DASD volume label", blocks.find(is_label)?))
}
