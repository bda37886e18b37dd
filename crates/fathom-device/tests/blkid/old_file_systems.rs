//! File systems of other and older systems.

use crate::blkid::image::{Image, image};

pub fn images(_size: u64) -> Vec<Image> {
    let mut images = vec![
        image("hfs").at(1024, b"BD").be32(1024 + 0x14, 4096),
        image("hfsplus").at(1024, b"H+\0\x04").be32(1024 + 0x28, 4096),
        image("hfsplus").at(1024, b"HX\0\x05").be32(1024 + 0x28, 4096),
        embedded_hfs_plus(),
        image("hpfs").at(8192, b"\x49\xe8\x95\xf9").at(8192 + 512, b"\x49\x18\x91\xf9"),
        image("jfs")
            .at(0x8000, b"JFS1")
            .le32(0x8010, 4096)
            .le16(0x8014, 12)
            .le16(0x8016, 3)
            .le32(0x8018, 512)
            .le16(0x801c, 9),
        image("reiser4").at(0x1_0000, b"ReIsEr4"),
        image("bfs").le32(0, 0x1bad_face),
        image("nss").at(4096, b"SPB5"),
        image("vxfs").le32(1024, 0xa501_fcf5),
        image("vxfs").be32(8192, 0xa501_fcf5),
        image("xenix").at(2048, b"\x2b\x55\x44"),
        image("xenix").at(2048, b"\x44\x55\x2b"),
        befs(0),
        befs(512),
    ];
    images.extend(reiserfs());
    images.extend(minix());
    images.extend(ufs());
    images.extend([0, 9, 15, 18].map(|kib| image("sysv").le32(kib * 1024 + 512 + 0x1f8, 0xfd18_7e20)));
    images.extend([0, 9, 15, 18].map(|kib| image("sysv").be32(kib * 1024 + 512 + 0x1f8, 0xfd18_7e20)));
    images
}

/// HFS Plus that begins in block 8 of an HFS volume.
fn embedded_hfs_plus() -> Image {
    const BLOCK: u64 = 512;
    let outer = image("hfsplus").at(1024, b"BD").be32(1024 + 0x14, BLOCK as u32).be16(1024 + 0x1c, 8);
    let inner = 8 * BLOCK + 1024;
    outer.at(1024 + 0x7c, b"H+").at(inner, b"H+\0\x04").be32(inner + 0x28, 4096)
}

/// blkid also reads the inode of the root directory, in block 4 of 2 KiB.
fn befs(at: u64) -> Image {
    let image = image("befs").at(at + 32, b"1SFBEGIB").le32(at + 40, 2048).le32(at + 44, 11);
    let image = image.le32(at + 0x44, 0xdd12_1031).le32(at + 0x70, 0x15b6_830e);
    image.le16(at + 0x78, 4).le16(at + 0x7a, 1).le32(4 * 2048, 0x3bbe_0ad9)
}

/// Superblock, magic and place of the magic in it.
fn reiserfs() -> Vec<Image> {
    let cases: [(u64, &[u8], u64); 5] = [
        (8 << 10, b"ReIsErFs", 0x34),
        (8 << 10, b"ReIsErFs", 0x14),
        (64 << 10, b"ReIsErFs", 0x34),
        (64 << 10, b"ReIsEr2Fs", 0x34),
        (64 << 10, b"ReIsEr3Fs", 0x34),
    ];
    // The journal begins behind it, blocks have 4 KiB.
    cases
        .map(|(at, magic, place)| {
            image("reiserfs").le32(at + 12, 64).le16(at + 44, 4096).at(at + place, magic)
        })
        .into()
}

/// blkid knows versions 1 and 2 in both byte orders, 3 in that of the machine.
fn minix() -> Vec<Image> {
    const AT: u64 = 1024;
    let mut images = Vec::new();
    for magic in [0x137f, 0x138f, 0x2468, 0x2478] {
        let image = || image("minix");
        let little = image().le16(AT, 32).le16(AT + 2, 100).le16(AT + 4, 1).le16(AT + 6, 1);
        images.push(little.le16(AT + 8, 10).le16(AT + 16, magic).le32(AT + 20, 100));
        let big = image().be16(AT, 32).be16(AT + 2, 100).be16(AT + 4, 1).be16(AT + 6, 1);
        images.push(big.be16(AT + 8, 10).be16(AT + 16, magic).be32(AT + 20, 100));
    }
    let third = image("minix").le32(AT, 32).le16(AT + 6, 1).le16(AT + 8, 1).le16(AT + 10, 10);
    images.push(third.le32(AT + 20, 100).le16(AT + 24, 0x4d5a).le16(AT + 28, 4096));
    images
}

fn ufs() -> Vec<Image> {
    const MAGICS: [u32; 6] = [0x1954_0119, 0x0001_1954, 0x0019_5612, 0x0009_5014, 0x0061_2195, 0x0523_1994];
    let places = [0, 8, 64, 256].map(|kib: u64| kib * 1024 + 0x55c);
    let both = |at, magic| [image("ufs").le32(at, magic), image("ufs").be32(at, magic)];
    places.into_iter().flat_map(|at| MAGICS.into_iter().flat_map(move |magic| both(at, magic))).collect()
}
