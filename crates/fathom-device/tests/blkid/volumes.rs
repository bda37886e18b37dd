//! Volumes, encryption, swap, and what keeps metadata of other devices.

use crate::blkid::image::{Image, image};

pub fn images(size: u64) -> Vec<Image> {
    let mut images = vec![
        image("drbd").be32(size - 4096 + 0x3c, 0x8374_026b),
        image("drbd").be32(size - 4096 + 0x3c, 0x8374_026c),
        image("drbd").be32(size - 4096 + 0x3c, 0x8374_026d),
        image("drbdmanage_control_volume").at(0, b"$DRBDmgr=q\n").at(11, &[b'0'; 32]).at(43, b"\n"),
        image("drbdproxy_datalog").at(0, b"DRBDdlh*"),
        image("LVM1_member").at(0, b"HM\x01\0"),
        image("LVM1_member").at(0, b"HM\x02\0"),
        image("DM_snapshot_cow").at(0, b"SnAp"),
        image("DM_verity_hash").at(0, b"verity\0\0").le32(8, 1),
        image("DM_integrity").at(0, b"integrt\0").at(8, &[1]),
        image("crypto_LUKS").at(0, b"LUKS\xba\xbe\0\x01"),
        image("crypto_LUKS").at(0, b"LUKS\xba\xbe\0\x02"),
        image("ceph_bluestore").at(0, b"bluestore block device"),
        image("VMFS_volume_member").le32(1 << 20, 0xc001_d00d),
        image("ubi").at(0, b"UBI#"),
        image("vdo").at(0, b"dmvdo001"),
        image("oracleasm").at(32, b"ORCLDISK"),
        image("mpool").at(0, b"mpoolDev").le32(62, 0x602c_acaf),
        image("BitLocker").at(0, b"\xeb\x52\x90-FVE-FS-"),
        image("BitLocker").at(0, b"\xeb\x58\x90-FVE-FS-").le64(176, 1 << 16).at(1 << 16, b"-FVE-FS-"),
        image("BitLocker").at(0, b"\xeb\x58\x90MSWIN4.1").le64(440, 1 << 16).at(1 << 16, b"-FVE-FS-"),
    ];
    images.extend((0..4).map(lvm2));
    // LUKS2 whose first header is gone.
    images.extend(
        (14..=22)
            .map(|log2| 1 << log2)
            .map(|at: u64| image("crypto_LUKS").at(at, b"SKUL\xba\xbe\0\x02").be64(at + 0x100, at)),
    );
    images.extend(
        [512, 9 * 512]
            .map(|at| image("stratis").le32(at, 0xcf6e_2167).at(at + 4, b"!Stra0tis\x86\xff\x02\x5e\x41rh")),
    );
    images.extend(swap());
    images
}

/// The label names its sector; the checksum covers what is behind it.
fn lvm2(sector: u64) -> Image {
    let at = sector * 512;
    image("LVM2_member")
        .at(at, b"LABELONE")
        .le64(at + 8, sector)
        .le32(at + 16, 0x0a54_bafa)
        .le32(at + 20, 32)
        .at(at + 24, b"LVM2 001")
        .at(at + 32, &[b'0'; 32])
}

fn swap() -> Vec<Image> {
    const MAGICS: [(&str, &[u8]); 6] = [
        ("swap", b"SWAP-SPACE"),
        ("swap", b"SWAPSPACE2"),
        ("swsuspend", b"S1SUSPEND"),
        ("swsuspend", b"S2SUSPEND"),
        ("swsuspend", b"ULSUSPEND"),
        ("swsuspend", b"LINHIB0001"),
    ];
    let pages = (12..=16).map(|log2| 1u64 << log2);
    // Version 1 and a last page.
    let of =
        |page: u64| MAGICS.map(|(name, magic)| image(name).le32(1024, 1).le32(1028, 9).at(page - 10, magic));
    let mut images: Vec<Image> = pages.flat_map(of).collect();
    images.push(image("swsuspend").at(0, b"\xed\xc3\x02\xe9\x98\x56\xe5\x0c"));
    images
}
