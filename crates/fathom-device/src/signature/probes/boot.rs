//! The first sector of a PC's disk: a partition table, or the boot sector of
//! a FAT. Both end with 0x55aa.

use super::Found;
use crate::signature::View;

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
pub fn mbr(view: &View) -> Found {
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
pub fn fat(view: &View) -> Found {
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
