//! Disk labels: the first sector of a PC's disk, and those of other machines.

use super::Match;
use crate::signature::View;

/// Apple: the driver descriptor in block 0 says how long a block is, and the
/// partition map begins in block 1 (Inside Macintosh: Devices, chapter 3).
pub fn apple(view: &View) -> Match {
    let descriptor = view.at(0, 4)?;
    let block_bytes = u64::from(u16::from_be_bytes([descriptor[2], descriptor[3]]));
    let is_map = view.holds(block_bytes, b"PM") || view.holds(block_bytes, b"TS");
    (descriptor[..2] == *b"ER" && is_map).then_some(("Apple partition map", block_bytes))
}

/// Sun: a magic of two bytes, and all words of the sector make zero by
/// exclusive or (linux/block/partitions/sun.c).
pub fn sun(view: &View) -> Match {
    let sector = view.at(0, 512)?;
    let sum = sector.chunks(2).fold([0, 0], |sum, word| [sum[0] ^ word[0], sum[1] ^ word[1]]);
    (sector[508..510] == [0xda, 0xbe] && sum == [0, 0]).then_some(("Sun disk label", 508))
}

/// Atari: no magic at all, so all four entries must make sense: active ones have a name of three
/// letters or digits and are on the disk, others have no flag but the one for booting
/// (linux/block/partitions/atari.c). libblkid is content with one sensible entry, and so accepts
/// one in fifty disks full of random bytes; a disk that an Atari partitioned passes both tests.
pub fn atari(view: &View) -> Match {
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
pub fn amiga(view: &View) -> Match {
    let mut sectors = (0..16).map(|sector| sector * 512);
    let at = sectors.find(|&at| view.holds(at, b"RDSK"))?;
    Some(("Amiga disk label", at))
}

/// IBM mainframe: the volume label is in block 2, in EBCDIC: `VOL1` after a
/// key of four bytes, `LNX1` or `CMS1` without one
/// (linux/block/partitions/ibm.c).
pub fn dasd(view: &View) -> Match {
    const VOL1: [u8; 4] = [0xe5, 0xd6, 0xd3, 0xf1];
    const LNX1: [u8; 4] = [0xd3, 0xd5, 0xe7, 0xf1];
    const CMS1: [u8; 4] = [0xc3, 0xd4, 0xe2, 0xf1];
    let mut blocks = [512, 1024, 2048, 4096].map(|block_bytes| 2 * block_bytes).into_iter();
    let is_label = |&at: &u64| view.holds(at + 4, &VOL1) || view.holds(at, &LNX1) || view.holds(at, &CMS1);
    Some(("DASD volume label", blocks.find(is_label)?))
}

const SIGNATURE: [u8; 2] = [0x55, 0xaa];

/// What the boot sector of a file system says that it is, and where. These
/// may hold anything where a partition table would have its entries.
const BOOT_SECTORS: [(u64, &[u8]); 12] = [
    (3, b"NTFS    "),
    (3, b"EXFAT   "),
    (3, b"ReFS"),
    (3, b"-FVE-FS-"),
    (3, b"MSWIN4.1"),
    (0x36, b"FAT12   "),
    (0x36, b"FAT16   "),
    (0x36, b"FAT     "),
    (0x36, b"MSDOS"),
    (0x36, b"HPFS"),
    (0x52, b"FAT32   "),
    (0x52, b"MSWIN"),
];

/// An MBR: the four entries must make sense, because 0x55aa alone also ends
/// every boot sector. A table without an entry in use is a table: somebody
/// prepared the disk, or deleted a partition and may want it back.
pub fn mbr(view: &View) -> Match {
    let sector = view.at(0, 512)?;
    if sector[510..] != SIGNATURE {
        return None;
    }
    let is_sane = sector[446..510].chunks(16).all(|entry| entry[0] & 0x7f == 0);
    let is_in_use = |entry: &[u8]| entry[4] != 0 && entry[12..16] != [0; 4];
    let has_partition = sector[446..510].chunks(16).any(is_in_use);
    let is_boot_sector =
        BOOT_SECTORS.iter().any(|(at, magic)| view.holds(*at, magic)) || has_fat_parameters(sector);
    (is_sane && (has_partition || !is_boot_sector)).then_some(("MBR", 510))
}

/// A FAT that does not name itself: before DOS 4 the sector had parameters and nothing else. Where
/// the sector names its file system, the table of magics finds it.
pub fn fat(view: &View) -> Match {
    let sector = view.at(0, 512)?;
    let is_named = BOOT_SECTORS.iter().any(|(at, magic)| view.holds(*at, magic));
    let is_fat = sector[510..] == SIGNATURE && !is_named && has_fat_parameters(sector);
    is_fat.then_some(("FAT", 0))
}

/// Whether the parameter block makes sense (Microsoft FAT specification, "boot
/// sector and BPB").
fn has_fat_parameters(sector: &[u8]) -> bool {
    let word = |at: usize| u16::from_le_bytes([sector[at], sector[at + 1]]);
    let (sector_bytes, cluster_sectors, reserved_sectors) = (word(0x0b), sector[0x0d], word(0x0e));
    let (tables, media) = (sector[0x10], sector[0x15]);
    sector_bytes.is_power_of_two()
        && (512..=4096).contains(&sector_bytes)
        && cluster_sectors.is_power_of_two()
        && reserved_sectors != 0
        && tables != 0
        && (media == 0xf0 || media >= 0xf8)
}
