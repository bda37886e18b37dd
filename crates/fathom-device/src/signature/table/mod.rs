//! Formats that a magic at a fixed place identifies. There is one entry for each format;
//! the places are those of each format's own documentation, and libblkid, file(1) and the kernel
//! agree on them. A magic is enough: checksums are not looked at, so a damaged superblock is found
//! as well.

use super::{Class, Signature, View};
use Place::{End, Start};

/// Where a magic lies.
enum Place {
    /// From the start of the device.
    Start(u64),
    /// Back from the end of the last whole sector of the device.
    End(u64),
}

/// A format, the places where it may have a magic, and its magics.
struct Entry(&'static str, &'static [Place], &'static [&'static [u8]]);

const TABLES: [(Class, &[Entry]); 4] = [
    (Class::PartitionTable, PARTITION_TABLES),
    (Class::Encrypted, ENCRYPTED),
    (Class::Member, MEMBERS),
    (Class::FileSystem, FILE_SYSTEMS),
];

/// The entries whose magic is there.
pub fn matches(view: &View) -> Vec<Signature> {
    let entries = TABLES.iter().flat_map(|(class, table)| table.iter().map(move |entry| (*class, entry)));
    let signatures = entries.flat_map(|(class, Entry(name, places, magics))| {
        let places = places.iter().filter_map(|place| match place {
            Place::Start(offset) => Some(*offset),
            Place::End(back) => view.from_end(*back),
        });
        let there = places.filter(|at| magics.iter().any(|magic| view.holds(*at, magic)));
        there.map(move |offset_bytes| Signature { name: (*name).to_owned(), class, offset_bytes })
    });
    signatures.collect()
}

#[rustfmt::skip]
const PARTITION_TABLES: &[Entry] = &[
    Entry("GPT", &[Start(512), Start(4096)], &[b"EFI PART"]),
    Entry("GPT (backup)", &[End(512), End(4096)], &[b"EFI PART"]),
    Entry("Apple partition map", &[Start(512)], &[b"PM\0\0"]),
    Entry("AIX disk label", &[Start(0)], &[&[0xc9, 0xc2, 0xd4, 0xc1]]),
    Entry("SGI disk label", &[Start(0)], &[&[0x0b, 0xe5, 0xa9, 0x41]]),
    // The sector and the offset in it depend on the architecture.
    Entry("BSD disk label", &[Start(64), Start(128), Start(512)], &[&[0x57, 0x45, 0x56, 0x82]]),
    Entry("Solaris x86 disk label", &[Start(512 + 12)], &[&[0xee, 0xde, 0x0d, 0x60]]),
    // Sector 29: the label's own magic, and that of the table in it.
    Entry("UnixWare disk label", &[Start(29 * 512 + 4)], &[&[0x0d, 0x60, 0xe5, 0xca]]),
    Entry("UnixWare disk label", &[Start(29 * 512 + 156)], &[&[0xee, 0xde, 0x0d, 0x60]]),
    Entry("Ultrix disk label", &[Start(16384 - 72)], &[&[0x57, 0x29, 0x03, 0x00]]),
    Entry("Windows dynamic disk", &[Start(6 * 512)], &[b"PRIVHEAD"]),
];

#[rustfmt::skip]
const ENCRYPTED: &[Entry] = &[
    Entry("LUKS", &[Start(0)], &[b"LUKS\xba\xbe"]),
    Entry("BitLocker", &[Start(3)], &[b"-FVE-FS-"]),
];

const MD: &[u8] = &[0xfc, 0x4e, 0x2b, 0xa9];
const BCACHEFS: &[u8] =
    &[0xc6, 0x85, 0x73, 0xf6, 0x66, 0xce, 0x90, 0xa9, 0xd9, 0x6a, 0x60, 0xcf, 0x80, 0x3d, 0xf7, 0xef];
/// 0xDE11DE11 in either order of bytes.
const DDF: [&[u8]; 2] = [&[0xde, 0x11, 0xde, 0x11], &[0x11, 0xde, 0x11, 0xde]];
const STRATIS: &[u8] = b"!Stra0tis\x86\xff\x02^\x41rh";
const IMSM: &[u8] = b"Intel Raid ISM Cfg Sig. ";
const PROMISE: &[u8] = b"Promise Technology, Inc.";

#[rustfmt::skip]
const MEMBERS: &[Entry] = &[
    // An LVM label may lie in any of the first four sectors; the metadata
    // area of a volume begins 4 KiB into it.
    Entry("LVM physical volume", &[Start(0), Start(512), Start(1024), Start(1536)], &[b"LABELONE"]),
    Entry("LVM metadata area", &[Start(4096 + 4)], &[b" LVM2 x[5A%r0N*>"]),
    Entry("LVM 1 physical volume", &[Start(0)], &[b"HM\x01\0", b"HM\x02\0"]),
    Entry("md member (1.1)", &[Start(0)], &[MD]),
    Entry("md member (1.2)", &[Start(4096)], &[MD]),
    Entry("bcache member", &[Start(4096 + 24)],
        &[&[0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca, 0x82, 0x65, 0xf5, 0x7f, 0x48, 0xba, 0x6d, 0x81]]),
    // The superblock, the layout before it, the second superblock.
    Entry("bcachefs member", &[Start(4096 + 24), Start(7 * 512), Start(2056 * 512 + 24)], &[BCACHEFS]),
    Entry("Ceph BlueStore", &[Start(0)], &[b"bluestore block device"]),
    Entry("Stratis member", &[Start(512 + 4), Start(9 * 512 + 4)], &[STRATIS]),
    Entry("VDO member", &[Start(0)], &[b"dmvdo001"]),
    Entry("Oracle ASM disk", &[Start(32)], &[b"ORCLDISK"]),
    Entry("VMFS member", &[Start(0x10_0000)], &[&[0x0d, 0xd0, 0x01, 0xc0]]),
    Entry("device-mapper snapshot", &[Start(0)], &[b"SnAp"]),
    Entry("dm-integrity device", &[Start(0)], &[b"integrt\0"]),
    Entry("dm-verity hash device", &[Start(0)], &[b"verity\0\0"]),
    Entry("UBI volume", &[Start(0)], &[b"UBI#"]),
    Entry("mpool member", &[Start(0)], &[b"mpoolDev"]),
    // DRBD 8, 8.4 that was not shut down, 9: big-endian 0x83740267 + 4 to 6.
    Entry("DRBD metadata", &[End(4096 - 0x3c)],
        &[&[0x83, 0x74, 0x02, 0x6b], &[0x83, 0x74, 0x02, 0x6c], &[0x83, 0x74, 0x02, 0x6d]]),
    Entry("DRBD Manage control volume", &[Start(0)], &[b"$DRBDmgr=q"]),
    Entry("DRBD Proxy data log", &[Start(0)], &[b"DRBDdlh*"]),
    // The anchor header is the last block, or the one 257 blocks from the end.
    Entry("DDF RAID member", &[End(512), End(257 * 512), End(4096), End(257 * 4096)], &[DDF[0], DDF[1]]),
    Entry("Intel IMSM RAID member", &[End(2 * 512), End(2 * 4096)], &[IMSM]),
    Entry("Adaptec RAID member", &[End(512)], &[&[0x37, 0xfc, 0x4d, 0x1e]]),
    Entry("HighPoint RAID member", &[End(11 * 512)], &[&[0xf3, 0x16, 0x78, 0x5a], &[0xfd, 0x16, 0x78, 0x5a]]),
    Entry("HighPoint RAID member", &[Start(0x1220)], &[&[0xf0, 0x16, 0x78, 0x5a], &[0xfd, 0x16, 0x78, 0x5a]]),
    Entry("JMicron RAID member", &[End(512)], &[b"JM"]),
    Entry("LSI RAID member", &[End(512)], &[b"$XIDE$"]),
    Entry("NVIDIA RAID member", &[End(2 * 512)], &[b"NVIDIA"]),
    // The distance depends on the controller and on the disk's geometry.
    Entry("Promise RAID member", &[End(16 * 512), End(63 * 512), End(255 * 512), End(256 * 512), End(399 * 512),
        End(591 * 512), End(675 * 512), End(735 * 512), End(911 * 512), End(951 * 512), End(974 * 512),
        End(991 * 512), End(3087 * 512)], &[PROMISE]),
];

#[rustfmt::skip]
const FILE_SYSTEMS: &[Entry] = &[
    Entry("XFS", &[Start(0)], &[b"XFSB"]),
    Entry("EXFS", &[Start(0)], &[b"EXFS"]),
    Entry("btrfs", &[Start(0x1_0040)], &[b"_BHRfS_M"]),
    // On a zoned drive the superblock's log begins with the first zone.
    Entry("btrfs", &[Start(0x40)], &[b"_BHRfS_M"]),
    Entry("F2FS", &[Start(1024), Start(4096 + 1024)], &[&[0x10, 0x20, 0xf5, 0xf2]]),
    Entry("NTFS", &[Start(3)], &[b"NTFS    "]),
    // The copy of the boot sector is the last sector of the volume.
    Entry("NTFS (backup)", &[End(512 - 3), End(4096 - 3)], &[b"NTFS    "]),
    Entry("ReFS", &[Start(3)], &[b"ReFS\0"]),
    Entry("exFAT", &[Start(3)], &[b"EXFAT   "]),
    // The copy of the boot region begins with sector 12.
    Entry("exFAT (backup)", &[Start(12 * 512 + 3), Start(12 * 4096 + 3)], &[b"EXFAT   "]),
    Entry("FAT", &[Start(0x36)], &[b"FAT12   ", b"FAT16   ", b"FAT     ", b"MSDOS"]),
    Entry("FAT", &[Start(0x52)], &[b"FAT32   ", b"MSWIN"]),
    Entry("FAT", &[Start(3)], &[b"MSWIN4.1"]),
    // The copy of FAT32's boot sector is sector 6.
    Entry("FAT (backup)", &[Start(6 * 512 + 0x52), Start(6 * 4096 + 0x52)], &[b"FAT32   "]),
    Entry("ISO 9660", &[Start(0x8001)], &[b"CD001"]),
    Entry("ISO 9660", &[Start(0x8009)], &[b"CDROM"]),
    Entry("UDF", &[Start(0x8001)], &[b"BEA01", b"BOOT2", b"CDW02", b"NSR02", b"NSR03", b"TEA01"]),
    Entry("APFS", &[Start(32)], &[b"NXSB"]),
    Entry("JFS", &[Start(0x8000)], &[b"JFS1"]),
    Entry("JFS (spare superblock)", &[Start(0xf000)], &[b"JFS1"]),
    Entry("ReiserFS", &[Start(0x1_0034)], &[b"ReIsEr"]),
    Entry("ReiserFS", &[Start(0x2034), Start(0x2014)], &[b"ReIsErFs"]),
    Entry("Reiser4", &[Start(0x1_0000)], &[b"ReIsEr4"]),
    Entry("SquashFS", &[Start(0)], &[b"hsqs", b"sqsh"]),
    Entry("EROFS", &[Start(1024)], &[&[0xe2, 0xe1, 0xf5, 0xe0]]),
    Entry("CramFS", &[Start(0), Start(512)], &[&[0x45, 0x3d, 0xcd, 0x28], &[0x28, 0xcd, 0x3d, 0x45]]),
    Entry("RomFS", &[Start(0)], &[b"-rom1fs-"]),
    Entry("zonefs", &[Start(0)], &[b"SFOZ"]),
    Entry("UBIFS", &[Start(0)], &[&[0x31, 0x18, 0x10, 0x06]]),
    Entry("GFS2", &[Start(0x1_0000)], &[&[0x01, 0x16, 0x19, 0x70]]),
    Entry("ScoutFS", &[Start(0x1_0004)], &[&[0x8b, 0x42, 0x3c, 0x10]]),
    Entry("OCFS", &[Start(8192)], &[b"OracleCFS"]),
    Entry("OCFS2", &[Start(1024), Start(2048), Start(4096), Start(8192)], &[b"OCFSV2"]),
    Entry("VMFS", &[Start(0x20_0000)], &[&[0x5e, 0xf1, 0xab, 0x2f]]),
    Entry("VxFS", &[Start(1024)], &[&[0xf5, 0xfc, 0x01, 0xa5]]),
    Entry("VxFS", &[Start(8192)], &[&[0xa5, 0x01, 0xfc, 0xf5]]),
    Entry("Novell NSS", &[Start(4096)], &[b"SPB5"]),
    Entry("HPFS", &[Start(8192)], &[&[0x49, 0xe8, 0x95, 0xf9]]),
    Entry("SCO BFS", &[Start(0)], &[&[0xce, 0xfa, 0xad, 0x1b]]),
    Entry("BeFS", &[Start(32), Start(512 + 32)], &[b"BFS1", b"1SFB"]),
    Entry("Xenix", &[Start(2048)], &[&[0x2b, 0x55, 0x44], &[0x44, 0x55, 0x2b]]),
];
