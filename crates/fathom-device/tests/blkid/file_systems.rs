//! File systems of today.

use crate::blkid::image::{Image, crc32, image};

pub fn images(size: u64) -> Vec<Image> {
    let mut images = vec![
        xfs("xfs", b"XFSB"),
        xfs("exfs", b"EXFS"),
        xfs_log(0),
        xfs_log(7),
        xfs_log(511),
        image("btrfs").at(0x1_0040, b"_BHRfS_M"),
        image("f2fs").le32(1024, 0xf2f5_2010),
        image("erofs").le32(1024, 0xe0f5_e1e2),
        image("exfat").at(3, b"EXFAT   "),
        image("ReFS").at(0, b"\0\0\0ReFS\0"),
        image("squashfs").at(0, b"hsqs").le16(28, 4),
        image("squashfs3").at(0, b"hsqs").le16(28, 3),
        image("squashfs3").at(0, b"sqsh").be16(28, 3),
        image("cramfs").le32(0, 0x28cd_3d45),
        image("cramfs").be32(0, 0x28cd_3d45),
        image("romfs").at(0, b"-rom1fs-"),
        image("zonefs").at(0, b"SFOZ"),
        image("ubifs").le32(0, 0x0610_1831),
        image("VMFS").le32(2 << 20, 0x2fab_f15e),
        image("apfs").le64(0, 0x3b05_ea91_82a6_ad1f).le16(24, 1).at(32, b"NXSB").le32(36, 4096),
        image("gfs").be32(0x1_0000, 0x0116_1970).be32(0x1_0018, 1309).be32(0x1_001c, 1401),
        image("gfs2").be32(0x1_0000, 0x0116_1970).be32(0x1_0018, 1801).be32(0x1_001c, 1900),
        image("ocfs").at(8192, b"OracleCFS"),
        nilfs(1024, size),
        nilfs(size - 4096, size),
        ntfs(),
    ];
    images.extend([1024, 2048, 4096, 8192].map(|at| image("ocfs2").at(at, b"OCFSV2")));
    images.extend(ext());
    images.extend(fat());
    images.extend(optical());
    images
}

fn ext() -> Vec<Image> {
    const SUPERBLOCK: u64 = 1024;
    // Name, compatible and incompatible features, flags.
    let cases = [
        ("ext2", 0, 0, 0),
        ("ext3", 4, 0, 0),
        ("ext4", 4, 0x40, 0),
        ("ext4dev", 4, 0x40, 4),
        ("jbd", 0, 8, 0),
    ];
    let one = |(name, compat, incompat, flags): (&str, u32, u32, u32)| {
        let image = image(name).le16(SUPERBLOCK + 0x38, 0xef53).le32(SUPERBLOCK + 0x5c, compat);
        image.le32(SUPERBLOCK + 0x60, incompat).le32(SUPERBLOCK + 0x160, flags)
    };
    cases.map(one).into()
}

/// Four groups of 4,096 blocks of 4 KiB.
fn xfs(name: &str, magic: &[u8]) -> Image {
    let image = image(name).at(0, magic).be32(4, 4096).be64(8, 16384).be32(80, 1).be32(84, 4096).be32(88, 4);
    image.be16(102, 512).be16(104, 256).at(120, &[12, 9, 8, 4])
}

fn xfs_log(sector: u64) -> Image {
    let at = sector * 512;
    image("xfs_external_log").be32(at, 0xfeed_babe).be32(at + 8, 2).be32(at + 12, 512).be32(at + 300, 1)
}

fn nilfs(at: u64, size: u64) -> Image {
    const BYTES: usize = 280;
    let mut superblock = [0; BYTES];
    superblock[6..8].copy_from_slice(&0x3434_u16.to_le_bytes());
    superblock[8..10].copy_from_slice(&(BYTES as u16).to_le_bytes());
    superblock[0x20..0x28].copy_from_slice(&size.to_le_bytes());
    let sum = crc32(0, &superblock);
    superblock[0x10..0x14].copy_from_slice(&sum.to_le_bytes());
    image("nilfs2").at(at, &superblock)
}

/// blkid also reads records 0 and 3 of the file table.
fn ntfs() -> Image {
    let boot = image("ntfs").at(3, b"NTFS    ").le16(0x0b, 512).at(0x0d, &[8]);
    let boot = boot.le64(0x28, 1000).le64(0x30, 4).le64(0x38, 8).at(0x40, &[0xf6]).at(0x44, &[1]);
    boot.at(4 * 4096, b"FILE").at(4 * 4096 + 3 * 1024, b"FILE")
}

fn fat() -> Vec<Image> {
    const NAMES: [(u64, &[u8]); 6] = [
        (0x36, b"FAT12   "),
        (0x36, b"FAT16   "),
        (0x36, b"FAT     "),
        (0x36, b"MSDOS"),
        (0x52, b"FAT32   "),
        (0x52, b"MSWIN"),
    ];
    let parameters = || {
        let image = image("vfat").le16(0x0b, 512).at(0x0d, &[1]).le16(0x0e, 1).at(0x10, &[2]);
        image.le16(0x13, 1000).at(0x15, &[0xf8]).le16(0x16, 1)
    };
    let mut images: Vec<Image> = NAMES.map(|(at, name)| parameters().at(at, name)).into();
    // Without a name: a jump and the signature, or the signature alone.
    images.push(parameters().at(0, &[0xeb]).at(510, &[0x55, 0xaa]));
    images.push(parameters().at(0, &[0xe9]).at(510, &[0x55, 0xaa]));
    images.push(parameters().at(510, &[0x55, 0xaa]));
    images
}

/// UDF's descriptors follow each other by a block, of 2 KiB at least; block
/// 256 is the anchor.
fn optical() -> Vec<Image> {
    let udf = |block: u64, first: &[u8], second: &[u8]| {
        let image = image("udf").at(0x8001, first).at(0x8001 + block.max(2048), second);
        image.le16(256 * block, 2).le32(256 * block + 12, 256)
    };
    let mut images: Vec<Image> = [512, 1024, 2048, 4096].map(|block| udf(block, b"BEA01", b"NSR02")).into();
    let first: [&[u8]; 6] = [b"BOOT2", b"CD001", b"CDW02", b"TEA01", b"NSR02", b"NSR03"];
    images.extend(first.map(|first| udf(512, first, b"NSR03")));
    images.push(image("iso9660").at(0x8000, b"\x01CD001\x01"));
    images.push(image("iso9660").at(0x8009, b"CDROM"));
    images
}
