//! Formats that a magic at a fixed place gives away. One line a format and
//! place; the places are those of each format's own documentation, which
//! libblkid, file(1) and the kernel agree on.

use super::{Class, Extremes, Signature};

/// Where a magic lies.
enum Place {
    /// From the start of the device.
    Start(u64),
    /// Back from the end of the device.
    End(u64),
}
use Class::{Encrypted, FileSystem, Member, PartitionTable, Swap};
use Place::{End, Start};

struct Entry(&'static str, Class, Place, &'static [u8]);

#[rustfmt::skip]
const TABLE: &[Entry] = &[
    Entry("GPT", PartitionTable, Start(512), b"EFI PART"),
    Entry("GPT", PartitionTable, Start(4096), b"EFI PART"),
    Entry("GPT (backup)", PartitionTable, End(512), b"EFI PART"),
    Entry("GPT (backup)", PartitionTable, End(4096), b"EFI PART"),
    Entry("Apple partition map", PartitionTable, Start(512), b"PM\0\0"),
    Entry("LUKS", Encrypted, Start(0), b"LUKS\xba\xbe"),
    // LUKS2 keeps a second header; its offset is one of these
    // (LUKS2 on-disk format, §2.1, up to what the head covers).
    Entry("LUKS2 (second header)", Encrypted, Start(0x4000), b"SKUL\xba\xbe"),
    Entry("LUKS2 (second header)", Encrypted, Start(0x8000), b"SKUL\xba\xbe"),
    Entry("LUKS2 (second header)", Encrypted, Start(0x1_0000), b"SKUL\xba\xbe"),
    Entry("LUKS2 (second header)", Encrypted, Start(0x2_0000), b"SKUL\xba\xbe"),
    Entry("LUKS2 (second header)", Encrypted, Start(0x4_0000), b"SKUL\xba\xbe"),
    Entry("LUKS2 (second header)", Encrypted, Start(0x8_0000), b"SKUL\xba\xbe"),
    Entry("LUKS2 (second header)", Encrypted, Start(0x10_0000), b"SKUL\xba\xbe"),
    Entry("BitLocker", Encrypted, Start(3), b"-FVE-FS-"),
    // An LVM label may lie in any of the first four sectors.
    Entry("LVM physical volume", Member, Start(0), b"LABELONE"),
    Entry("LVM physical volume", Member, Start(512), b"LABELONE"),
    Entry("LVM physical volume", Member, Start(1024), b"LABELONE"),
    Entry("LVM physical volume", Member, Start(1536), b"LABELONE"),
    Entry("md member (1.1)", Member, Start(0), &[0xfc, 0x4e, 0x2b, 0xa9]),
    Entry("md member (1.2)", Member, Start(4096), &[0xfc, 0x4e, 0x2b, 0xa9]),
    Entry("bcache member", Member, Start(4120),
        &[0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca, 0x82, 0x65, 0xf5, 0x7f, 0x48, 0xba, 0x6d, 0x81]),
    Entry("bcachefs member", Member, Start(4120),
        &[0xc6, 0x85, 0x73, 0xf6, 0x66, 0xce, 0x90, 0xa9, 0xd9, 0x6a, 0x60, 0xcf, 0x80, 0x3d, 0xf7, 0xef]),
    Entry("Ceph BlueStore", Member, Start(0), b"bluestore block device"),
    Entry("Stratis member", Member, Start(516), b"!Stra0tis\x86\xff\x02^\x41rh"),
    Entry("Stratis member", Member, Start(4612), b"!Stra0tis\x86\xff\x02^\x41rh"),
    Entry("VDO member", Member, Start(0), b"dmvdo001"),
    Entry("Oracle ASM disk", Member, Start(32), b"ORCLDISK"),
    Entry("VMFS member", Member, Start(0x10_0000), &[0x0d, 0xd0, 0x01, 0xc0]),
    Entry("DDF RAID member", Member, End(512), &[0xde, 0x11, 0xde, 0x11]),
    Entry("DDF RAID member", Member, End(257 * 512), &[0xde, 0x11, 0xde, 0x11]),
    Entry("Intel IMSM RAID member", Member, End(2 * 512), b"Intel Raid ISM Cfg Sig. "),
    Entry("Intel IMSM RAID member", Member, End(2 * 4096), b"Intel Raid ISM Cfg Sig. "),
    Entry("XFS", FileSystem, Start(0), b"XFSB"),
    Entry("XFS log", FileSystem, Start(0), &[0xfe, 0xed, 0xba, 0xbe]),
    Entry("btrfs", FileSystem, Start(0x1_0040), b"_BHRfS_M"),
    Entry("F2FS", FileSystem, Start(1024), &[0x10, 0x20, 0xf5, 0xf2]),
    Entry("NTFS", FileSystem, Start(3), b"NTFS    "),
    Entry("ReFS", FileSystem, Start(3), b"ReFS\0\0\0\0"),
    Entry("exFAT", FileSystem, Start(3), b"EXFAT   "),
    Entry("FAT", FileSystem, Start(54), b"FAT12   "),
    Entry("FAT", FileSystem, Start(54), b"FAT16   "),
    Entry("FAT", FileSystem, Start(82), b"FAT32   "),
    Entry("ISO 9660", FileSystem, Start(0x8001), b"CD001"),
    Entry("UDF", FileSystem, Start(0x8001), b"BEA01"),
    Entry("APFS", FileSystem, Start(32), b"NXSB"),
    Entry("JFS", FileSystem, Start(0x8000), b"JFS1"),
    Entry("ReiserFS", FileSystem, Start(0x1_0034), b"ReIsEr"),
    Entry("SquashFS", FileSystem, Start(0), b"hsqs"),
    Entry("EROFS", FileSystem, Start(1024), &[0xe2, 0xe1, 0xf5, 0xe0]),
    Entry("GFS2", FileSystem, Start(0x1_0000), &[0x01, 0x16, 0x19, 0x70]),
    Entry("OCFS2", FileSystem, Start(1024), b"OCFSV2"),
    Entry("OCFS2", FileSystem, Start(2048), b"OCFSV2"),
    Entry("OCFS2", FileSystem, Start(4096), b"OCFSV2"),
    // The swap magic ends the first page: 4 to 64 KiB, by architecture.
    Entry("swap", Swap, Start(0x0ff6), b"SWAPSPACE2"),
    Entry("swap", Swap, Start(0x1ff6), b"SWAPSPACE2"),
    Entry("swap", Swap, Start(0x3ff6), b"SWAPSPACE2"),
    Entry("swap", Swap, Start(0xfff6), b"SWAPSPACE2"),
    Entry("swap (old)", Swap, Start(0x0ff6), b"SWAP-SPACE"),
    Entry("hibernation image", Swap, Start(0x0ff6), b"S1SUSPEND"),
    Entry("hibernation image", Swap, Start(0x0ff6), b"LINHIB0001"),
];

/// The entries whose magic is there.
pub fn matches(ends: &Extremes) -> Vec<Signature> {
    let found = TABLE.iter().filter_map(|Entry(name, class, place, magic)| {
        let offset_bytes = match place {
            Start(offset) => *offset,
            End(back) => ends.from_end(*back)?,
        };
        ends.holds(offset_bytes, magic).then(|| Signature {
            name: (*name).to_owned(),
            class: *class,
            offset_bytes,
        })
    });
    found.collect()
}
