//! Every format, from an image with its magic, and images that only look like one.

use std::fs::File;
use std::os::unix::fs::FileExt;

use super::{Class, Contents};

const SIZE: u64 = 8 << 20;

fn contents(patches: &[(u64, &[u8])]) -> Contents {
    contents_of(SIZE, patches)
}

fn contents_of(size: u64, patches: &[(u64, &[u8])]) -> Contents {
    let image: File = tempfile::tempfile().unwrap();
    image.set_len(size).unwrap();
    for (offset, bytes) in patches {
        image.write_all_at(bytes, *offset).unwrap();
    }
    Contents::read(&image, size).unwrap()
}

fn names(contents: &Contents) -> Vec<&str> {
    let signatures = contents.signatures.iter();
    signatures.map(|s| s.name.as_str()).collect()
}

#[test]
fn magics_at_their_places() {
    let md = 0xa92b_4efc_u32.to_le_bytes();
    let cases: [(&str, u64, &[u8]); 27] = [
        ("XFS", 0, b"XFSB"),
        ("btrfs", 65600, b"_BHRfS_M"),
        ("F2FS", 1024, &[0x10, 0x20, 0xf5, 0xf2]),
        ("swap", 4086, b"SWAPSPACE2"),
        ("swap", 65526, b"SWAPSPACE2"),
        ("hibernation image", 4086, b"S1SUSPEND"),
        ("LUKS", 0, b"LUKS\xba\xbe\0\x02"),
        ("LUKS2 (second header)", 16384, b"SKUL\xba\xbe"),
        ("LVM physical volume", 512, b"LABELONE"),
        ("md member (1.1)", 0, &md),
        ("md member (1.2)", 4096, &md),
        ("md member (1.0)", SIZE - 8192, &md),
        ("md member (0.90)", SIZE - 65536, &md),
        ("ZFS member", 128 << 10, &0x00ba_b10c_u64.to_le_bytes()),
        ("ZFS member", SIZE - (128 << 10), &0x00ba_b10c_u64.to_be_bytes()),
        ("Ceph BlueStore", 0, b"bluestore block device\n"),
        ("DDF RAID member", SIZE - 512, &[0xde, 0x11, 0xde, 0x11]),
        ("Intel IMSM RAID member", SIZE - 1024, b"Intel Raid ISM Cfg Sig. 1.3"),
        ("GPT", 512, b"EFI PART"),
        ("GPT (backup)", SIZE - 512, b"EFI PART"),
        ("NTFS", 3, b"NTFS    "),
        ("exFAT", 3, b"EXFAT   "),
        ("FAT", 82, b"FAT32   "),
        ("ISO 9660", 32769, b"CD001"),
        ("Stratis member", 516, b"!Stra0tis\x86\xff\x02\x5e\x41\x72\x68"),
        ("VMFS member", 1 << 20, &[0x0d, 0xd0, 0x01, 0xc0]),
        ("bcache member", 4120, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"),
    ];
    for (name, offset, magic) in cases {
        assert_eq!(names(&contents(&[(offset, magic)])), [name], "at {offset}");
    }
}

#[test]
fn ext_family_by_features() {
    let cases: [(&str, u32, u32); 4] =
        [("ext2", 0, 0x2), ("ext3", 0x4, 0x2), ("ext4", 0x4, 0x242), ("ext journal", 0, 0x8)];
    for (name, compat, incompat) in cases {
        let found = contents(&[
            (1080, &[0x53, 0xef]),
            (1024 + 0x5c, &compat.to_le_bytes()),
            (1024 + 0x60, &incompat.to_le_bytes()),
        ]);
        assert_eq!(names(&found), [name]);
    }
}

#[test]
fn an_ext_magic_amid_noise_is_only_data() {
    let found = contents(&[(1000, &[0xa7; 200]), (1080, &[0x53, 0xef])]);
    assert_eq!(names(&found), [] as [&str; 0]);
    assert_eq!(found.first_nonzero_bytes, Some(1000));
}

#[test]
fn an_mbr_needs_an_entry_in_use() {
    let mut entry = [0u8; 16];
    entry[4] = 0x83;
    entry[8..].copy_from_slice(&[0, 8, 0, 0, 0, 0, 1, 0]);
    let found = contents(&[(446, &entry), (510, &[0x55, 0xaa])]);
    assert_eq!(names(&found), ["MBR"]);
    assert_eq!(found.signatures[0].class, Class::PartitionTable);
    entry[0] = 0x13;
    let noise = contents(&[(446, &entry), (510, &[0x55, 0xaa])]);
    assert_eq!(names(&noise), [] as [&str; 0]);
}

/// What a disk is like after its only partition was deleted, and what blkid
/// calls a partition table.
#[test]
fn an_mbr_without_partitions_is_an_mbr_and_a_boot_sector_is_not() {
    let end: (u64, &[u8]) = (510, &[0x55, 0xaa]);
    assert_eq!(names(&contents(&[(0, &[0xeb]), end])), ["MBR"]);
    assert_eq!(names(&contents(&[(450, &[0x83]), end])), ["MBR"]);
    for (at, magic, name) in [(3, b"NTFS    ", "NTFS"), (0x36, b"FAT16   ", "FAT"), (3, b"EXFAT   ", "exFAT")]
    {
        assert_eq!(names(&contents(&[(at, magic), end])), [name]);
    }
    let parameters: (u64, &[u8]) = (0x0b, &[0, 2, 1, 1, 0, 2, 0, 2, 0xe8, 3, 0xf8]);
    assert_eq!(names(&contents(&[parameters, end])), ["FAT"]);
    let partition: (u64, &[u8]) = (450, &[0x83, 0, 0, 0, 0, 8, 0, 0, 0, 0, 1, 0]);
    assert_eq!(names(&contents(&[parameters, partition, end])), ["MBR", "FAT"], "it may be either");
}

/// Formats that blkid does not know, or not on a whole disk, and spares.
#[test]
fn magics_that_blkid_does_not_look_for() {
    let cases: [(&str, u64, &[u8]); 18] = [
        ("BSD disk label", 64, &[0x57, 0x45, 0x56, 0x82]),
        ("BSD disk label", 512, &[0x57, 0x45, 0x56, 0x82]),
        ("UnixWare disk label", 29 * 512 + 4, &[0x0d, 0x60, 0xe5, 0xca]),
        ("Amiga disk label", 3 * 512, b"RDSK"),
        ("DASD volume label", 8196, &[0xe5, 0xd6, 0xd3, 0xf1]),
        ("Windows dynamic disk", 3072, b"PRIVHEAD"),
        ("bcachefs member", 3584, b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"),
        ("LVM metadata area", 4100, b" LVM2 x[5A%r0N*>"),
        ("ScoutFS", 65540, &[0x8b, 0x42, 0x3c, 0x10]),
        ("NTFS (backup)", SIZE - 509, b"NTFS    "),
        ("exFAT (backup)", 6147, b"EXFAT   "),
        ("FAT (backup)", 3154, b"FAT32   "),
        ("JFS (spare superblock)", 0xf000, b"JFS1"),
        ("HFS Plus", SIZE - 1024, &[b'H', b'+', 0, 4]),
        ("UFS", 0x55c + (96 << 10), &[0x19, 0x01, 0x54, 0x19]),
        ("DDF RAID member", SIZE - 257 * 4096, &[0x11, 0xde, 0x11, 0xde]),
        ("UDF (anchor)", SIZE - 512, &[2, 0, 3, 0, 0x43, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x3f, 0, 0]),
        ("Oracle ASM disk (spare header)", (2 << 20) - 8192 + 32, b"ORCLDISK"),
    ];
    for (name, offset, magic) in cases {
        assert_eq!(names(&contents(&[(offset, magic)])), [name], "at {offset}");
    }
}

#[test]
fn a_spare_is_told_once_and_not_beside_the_format_itself() {
    let of = |patches: &[(u64, &[u8])]| contents_of(600 << 20, patches);
    let magic: &[u8] = &[0x53, 0xef];
    let groups: [(u64, &[u8]); 2] = [((128 << 20) + 0x38, magic), ((384 << 20) + 0x38, magic)];
    let found = of(&groups);
    assert_eq!(names(&found), ["ext2/3/4 (spare superblock)"]);
    assert_eq!(found.signatures[0].offset_bytes, (128 << 20) + 0x38);
    assert_eq!(found.first_nonzero_bytes, Some((128 << 20) + 0x38));
    assert_eq!(names(&of(&[(1080, magic), groups[0]])), ["ext2"]);
    let noise: (u64, &[u8]) = (128 << 20, &[0xa7; 200]);
    let found = of(&[noise, groups[0]]);
    assert_eq!(names(&found), [] as [&str; 0], "an impossible superblock is only data");
    assert_eq!(found.first_nonzero_bytes, Some(128 << 20));
}

#[test]
fn random_bytes_have_no_format() {
    let mut random = crate::sampling::SplitMix::from_seed(3);
    let bytes: Vec<u8> = (0..SIZE / 8).flat_map(|_| random.next_bits().to_le_bytes()).collect();
    assert_eq!(names(&contents(&[(0, &bytes)])), [] as [&str; 0]);
}

#[test]
fn blank_is_blank_at_every_size() {
    for size in [0, 512, 4096, 1 << 20, (1 << 20) + 512, 3 << 20] {
        assert!(contents_of(size, &[]).first_nonzero_bytes.is_none(), "{size}");
    }
}

/// What a drive returns for blocks that it was told to forget.
#[test]
fn blocks_of_ones_are_blank() {
    assert!(contents(&[(0, &[0xff; 8 << 20])]).first_nonzero_bytes.is_none());
    assert_eq!(contents(&[(0, &[0xff; 4095])]).first_nonzero_bytes, Some(0));
}

#[test]
fn unknown_data_at_either_end_is_seen() {
    assert_eq!(contents(&[(77, b"x")]).first_nonzero_bytes, Some(77));
    let last = contents(&[(SIZE - 1, b"x")]);
    assert_eq!(last.first_nonzero_bytes, Some(SIZE - 1));
    assert!(contents(&[(5 << 20, b"x")]).first_nonzero_bytes.is_none(), "the middle is left to the samples");
}

/// A device of which a control group lets 20 kB/s through would hold up whatever looks into it for minutes.
#[test]
fn a_device_that_is_slow_is_not_waited_for_without_a_limit() {
    let file = tempfile::tempfile().unwrap();
    file.set_len(8 << 20).unwrap();
    let late = Contents::read_within(&file, 8 << 20, std::time::Duration::ZERO).unwrap_err();
    assert_eq!(late.kind(), std::io::ErrorKind::TimedOut);
    assert!(Contents::read_within(&file, 8 << 20, std::time::Duration::MAX).is_ok());
}
