//! Partition tables, which `blkid -k` does not list: those that the libblkid of util-linux 2.38
//! reports for a whole disk. (It reports its labels of BSD and Minix only for partitions.)

use crate::blkid::image::{Image, crc32, table};

pub fn images(size: u64) -> Vec<Image> {
    let last = size / 512 - 1;
    vec![
        // Boot code without a table, an entry without a length, one in use.
        table("dos").at(0, &[0xfa, 0x33, 0xc0]).at(510, &[0x55, 0xaa]),
        table("dos").at(446 + 4, &[0x83]).at(510, &[0x55, 0xaa]),
        table("dos").at(446 + 4, &[0x83]).le32(446 + 8, 2048).le32(446 + 12, 1000).at(510, &[0x55, 0xaa]),
        protected("PMBR", last),
        protected("gpt", last).at(512, &gpt(1, last, 2, last)),
        protected("gpt", last).at(last * 512, &gpt(last, 1, last - 32, last)),
        table("mac").at(0, b"ER").be16(2, 512).at(512, b"PM"),
        table("mac").at(0, b"ER").be16(2, 512).at(512, b"TS"),
        table("mac").at(0, b"ER").be16(2, 2048).at(2048, b"PM"),
        table("sgi").be32(0, 0x0be5_a941).be32(504, 0xf41a_56bf),
        table("sun").at(508, &[0xda, 0xbe, 0xda, 0xbe]),
        table("ultrix").le32(16384 - 72, 0x03_2957).le32(16384 - 68, 1),
        // libblkid looks for the label's magic at a place where no label has
        // it, and for that of the table in it where it is.
        table("unixware").le32(0x71f6, 0xcae5_600d).le32(29 * 512 + 156, 0x600d_deee),
        table("solaris").le32(512 + 12, 0x600d_deee).le32(512 + 16, 1),
        table("atari").be32(0x1c2, last as u32).at(0x1c6, b"\x01GEM").be32(0x1ca, 2).be32(0x1ce, 1000),
        table("atari").be32(0x1c2, last as u32).at(0x1ea, b"\x81xy9").be32(0x1ee, 2).be32(0x1f2, 1000),
        table("aix").at(0, &[0xc9, 0xc2, 0xd4, 0xc1]),
    ]
}

/// An MBR that says that the whole disk is used.
fn protected(name: &str, last: u64) -> Image {
    let entry = table(name).at(446 + 2, &[2, 0, 0xee, 0xff, 0xff, 0xff]);
    entry.le32(446 + 8, 1).le32(446 + 12, last as u32).at(510, &[0x55, 0xaa])
}

/// The header in block `own`, with 128 entries from block `entries`, none of
/// them in use.
fn gpt(own: u64, other: u64, entries: u64, last: u64) -> Vec<u8> {
    let mut header = b"EFI PART\0\0\x01\0\x5c\0\0\0\0\0\0\0\0\0\0\0".to_vec();
    for number in [own, other, 34, last - 33, 0, 0, entries] {
        header.extend(number.to_le_bytes());
    }
    for number in [128, 128, !crc32(!0, &[0; 128 * 128])] {
        header.extend(number.to_le_bytes());
    }
    let sum = !crc32(!0, &header);
    header[16..20].copy_from_slice(&sum.to_le_bytes());
    header
}
