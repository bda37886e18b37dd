//! Members of arrays. The checksums are those of the bytes that are given here.

use crate::blkid::image::{Image, image};

const MD: u32 = 0xa92b_4efc;

pub fn images(size: u64) -> Vec<Image> {
    let last = size - 512;
    let mut images = md(size);
    images.extend([
        image("ddf_raid_member").be32(last, 0xde11_de11),
        image("ddf_raid_member").le32(last, 0xde11_de11),
        image("ddf_raid_member").be32(size - 257 * 512, 0xde11_de11),
        image("ddf_raid_member").le32(size - 257 * 512, 0xde11_de11),
        image("isw_raid_member").at(size - 1024, b"Intel Raid ISM Cfg Sig. 1.3.00"),
        image("lsi_mega_raid_member").at(last, b"$XIDE$"),
        image("via_raid_member").at(last, &[0x55, 0xaa]).at(last + 50, &[0xff]),
        image("silicon_medley_raid_member").le32(last + 0x60, 0x2f00_0000).le16(last + 0x13e, 0xd100),
        image("nvidia_raid_member").at(size - 1024, b"NVIDIA\0\0"),
        image("hpt45x_raid_member").le32(size - 11 * 512, 0x5a78_16f3),
        image("hpt45x_raid_member").le32(size - 11 * 512, 0x5a78_16fd),
        image("hpt37x_raid_member").le32(0x1220, 0x5a78_16f0),
        image("hpt37x_raid_member").le32(0x1220, 0x5a78_16fd),
        image("adaptec_raid_member").be32(last, 0x37fc_4d1e).at(last + 0x100, b"DPTM"),
        image("jmicron_raid_member").at(last, b"JM"),
        image("bcache")
            .at(4096, &0x3a99_54f0_0666_e924_u64.to_le_bytes())
            .le64(4096 + 8, 8)
            .at(4096 + 24, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"),
    ]);
    let promise = [63, 255, 256, 16, 399, 591, 675, 735, 911, 974, 991, 951, 3087];
    images.extend(promise.map(|sectors| {
        image("promise_fasttrack_raid_member").at(size - sectors * 512, b"Promise Technology, Inc.")
    }));
    images.extend(zfs(size));
    images
}

fn md(size: u64) -> Vec<Image> {
    let old = (size & !0xffff) - 0x1_0000;
    let end = (size & !0xfff) - 0x2000;
    let new = |at: u64| image("linux_raid_member").le32(at, MD).le32(at + 4, 1).le64(at + 144, at / 512);
    vec![
        image("linux_raid_member").le32(old, MD),
        image("linux_raid_member").be32(old, MD),
        new(end),
        new(0),
        new(4096),
    ]
}

/// blkid wants four uberblocks, in any of the four labels.
fn zfs(size: u64) -> Vec<Image> {
    const LABEL: u64 = 256 << 10;
    let end = size & !(LABEL - 1);
    let labels = [0, LABEL, end - 2 * LABEL, end - LABEL];
    let member = |label: u64| {
        let uberblocks = (0..4).map(|number| label + LABEL / 2 + number * 1024);
        uberblocks.fold(image("zfs_member"), |image, at| match label {
            0 => image.be64(at, 0x00ba_b10c),
            _ => image.le64(at, 0x00ba_b10c),
        })
    };
    labels.map(member).into()
}
