//! Members of arrays, volume groups, pools and caches, and devices that hold
//! the metadata of another device.

use super::Entry;
use super::Place::{End, Start};

const MD: &[u8] = &[0xfc, 0x4e, 0x2b, 0xa9];
const BCACHEFS: &[u8] =
    &[0xc6, 0x85, 0x73, 0xf6, 0x66, 0xce, 0x90, 0xa9, 0xd9, 0x6a, 0x60, 0xcf, 0x80, 0x3d, 0xf7, 0xef];
/// 0xDE11DE11 in either order of bytes.
const DDF: [&[u8]; 2] = [&[0xde, 0x11, 0xde, 0x11], &[0x11, 0xde, 0x11, 0xde]];
const STRATIS: &[u8] = b"!Stra0tis\x86\xff\x02^\x41rh";
const IMSM: &[u8] = b"Intel Raid ISM Cfg Sig. ";
const PROMISE: &[u8] = b"Promise Technology, Inc.";

#[rustfmt::skip]
pub(super) const TABLE: &[Entry] = &[
    // An LVM label may lie in any of the first four sectors; the metadata
    // area of a volume begins 4 KiB into it.
    Entry("LVM physical volume", Start(0), b"LABELONE"),
    Entry("LVM physical volume", Start(512), b"LABELONE"),
    Entry("LVM physical volume", Start(1024), b"LABELONE"),
    Entry("LVM physical volume", Start(1536), b"LABELONE"),
    Entry("LVM metadata area", Start(4096 + 4), b" LVM2 x[5A%r0N*>"),
    Entry("LVM 1 physical volume", Start(0), b"HM\x01\0"),
    Entry("LVM 1 physical volume", Start(0), b"HM\x02\0"),
    Entry("md member (1.1)", Start(0), MD),
    Entry("md member (1.2)", Start(4096), MD),
    Entry("bcache member", Start(4096 + 24),
        &[0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca, 0x82, 0x65, 0xf5, 0x7f, 0x48, 0xba, 0x6d, 0x81]),
    // The superblock, the layout before it, the second superblock.
    Entry("bcachefs member", Start(4096 + 24), BCACHEFS),
    Entry("bcachefs member", Start(7 * 512), BCACHEFS),
    Entry("bcachefs member", Start(2056 * 512 + 24), BCACHEFS),
    Entry("Ceph BlueStore", Start(0), b"bluestore block device"),
    Entry("Stratis member", Start(512 + 4), STRATIS),
    Entry("Stratis member", Start(9 * 512 + 4), STRATIS),
    Entry("VDO member", Start(0), b"dmvdo001"),
    Entry("Oracle ASM disk", Start(32), b"ORCLDISK"),
    Entry("VMFS member", Start(0x10_0000), &[0x0d, 0xd0, 0x01, 0xc0]),
    Entry("device-mapper snapshot", Start(0), b"SnAp"),
    Entry("dm-integrity device", Start(0), b"integrt\0"),
    Entry("dm-verity hash device", Start(0), b"verity\0\0"),
    Entry("UBI volume", Start(0), b"UBI#"),
    Entry("mpool member", Start(0), b"mpoolDev"),
    // DRBD 8, 8.4 that was not shut down, 9: big-endian 0x83740267 + 4 to 6.
    Entry("DRBD metadata", End(4096 - 0x3c), &[0x83, 0x74, 0x02, 0x6b]),
    Entry("DRBD metadata", End(4096 - 0x3c), &[0x83, 0x74, 0x02, 0x6c]),
    Entry("DRBD metadata", End(4096 - 0x3c), &[0x83, 0x74, 0x02, 0x6d]),
    Entry("DRBD Manage control volume", Start(0), b"$DRBDmgr=q"),
    Entry("DRBD Proxy data log", Start(0), b"DRBDdlh*"),
    // The anchor header is the last block, or the one 257 blocks from the end.
    Entry("DDF RAID member", End(512), DDF[0]),
    Entry("DDF RAID member", End(512), DDF[1]),
    Entry("DDF RAID member", End(257 * 512), DDF[0]),
    Entry("DDF RAID member", End(257 * 512), DDF[1]),
    Entry("DDF RAID member", End(4096), DDF[0]),
    Entry("DDF RAID member", End(4096), DDF[1]),
    Entry("DDF RAID member", End(257 * 4096), DDF[0]),
    Entry("DDF RAID member", End(257 * 4096), DDF[1]),
    Entry("Intel IMSM RAID member", End(2 * 512), IMSM),
    Entry("Intel IMSM RAID member", End(2 * 4096), IMSM),
    Entry("Adaptec RAID member", End(512), &[0x37, 0xfc, 0x4d, 0x1e]),
    Entry("HighPoint RAID member", End(11 * 512), &[0xf3, 0x16, 0x78, 0x5a]),
    Entry("HighPoint RAID member", End(11 * 512), &[0xfd, 0x16, 0x78, 0x5a]),
    Entry("HighPoint RAID member", Start(0x1220), &[0xf0, 0x16, 0x78, 0x5a]),
    Entry("HighPoint RAID member", Start(0x1220), &[0xfd, 0x16, 0x78, 0x5a]),
    Entry("JMicron RAID member", End(512), b"JM"),
    Entry("LSI RAID member", End(512), b"$XIDE$"),
    Entry("NVIDIA RAID member", End(2 * 512), b"NVIDIA"),
    // The distance depends on the controller and on the disk's geometry.
    Entry("Promise RAID member", End(16 * 512), PROMISE),
    Entry("Promise RAID member", End(63 * 512), PROMISE),
    Entry("Promise RAID member", End(255 * 512), PROMISE),
    Entry("Promise RAID member", End(256 * 512), PROMISE),
    Entry("Promise RAID member", End(399 * 512), PROMISE),
    Entry("Promise RAID member", End(591 * 512), PROMISE),
    Entry("Promise RAID member", End(675 * 512), PROMISE),
    Entry("Promise RAID member", End(735 * 512), PROMISE),
    Entry("Promise RAID member", End(911 * 512), PROMISE),
    Entry("Promise RAID member", End(951 * 512), PROMISE),
    Entry("Promise RAID member", End(974 * 512), PROMISE),
    Entry("Promise RAID member", End(991 * 512), PROMISE),
    Entry("Promise RAID member", End(3087 * 512), PROMISE),
];
