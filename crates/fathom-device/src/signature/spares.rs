//! The places between head and tail where formats keep spare superblocks. A
//! file system whose beginning was overwritten can be repaired from these.

use super::probes::file_systems;
use super::{Class, Signature, View};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const TIB: u64 = 1 << 40;

/// One kind of spare superblock.
struct Spare {
    /// How the names of this format begin in the tables: where the format was found already, its
    /// spares are not reported as well.
    of: &'static str,
    name: &'static str,
    class: Class,
    /// Where it may begin on a device of this size.
    places: fn(u64) -> Vec<u64>,
    /// Where its magic lies, from its beginning.
    magic_at: u64,
    magic: &'static [u8],
    /// Whether the rest of it makes sense, for a magic that is too short.
    is_possible: fn(&View, u64) -> Option<bool>,
}

const SURE: fn(&View, u64) -> Option<bool> = |_, _| Some(true);

#[rustfmt::skip]
const SPARES: &[Spare] = &[
    Spare { of: "ext", name: "ext2/3/4 (spare superblock)", class: Class::FileSystem, places: ext_groups,
        magic_at: 0x38, magic: &[0x53, 0xef], is_possible: file_systems::is_possible },
    Spare { of: "XFS", name: "XFS (allocation group)", class: Class::FileSystem, places: xfs_groups,
        magic_at: 0, magic: b"XFSB", is_possible: SURE },
    // linux/fs/btrfs/disk-io.h, btrfs_sb_offset: 16 KiB << 12 n.
    Spare { of: "btrfs", name: "btrfs (spare superblock)", class: Class::FileSystem,
        places: |_| vec![64 * MIB, 256 * GIB], magic_at: 0x40, magic: b"_BHRfS_M", is_possible: SURE },
    // linux/fs/ocfs2/ocfs2_fs.h, ocfs2_backup_super_blkno: 1 GiB << 2 n.
    Spare { of: "OCFS2", name: "OCFS2 (spare superblock)", class: Class::FileSystem,
        places: |_| (0..6).map(|n| GIB << (2 * n)).collect(), magic_at: 0, magic: b"OCFSV2", is_possible: SURE },
    // LUKS2 on-disk format, §2.1: the second header begins where the first
    // one ends, which is 16 KiB to 4 MiB long.
    Spare { of: "LUKS", name: "LUKS2 (second header)", class: Class::Encrypted,
        places: |_| (0..9).map(|n| (16 * KIB) << n).collect(), magic_at: 0, magic: b"SKUL\xba\xbe", is_possible: SURE },
    // ceph/src/os/bluestore/BlueStore.cc, bdev_label_positions.
    Spare { of: "Ceph", name: "Ceph BlueStore (spare label)", class: Class::Member,
        places: |_| vec![GIB, 10 * GIB, 100 * GIB, 1000 * GIB], magic_at: 0, magic: b"bluestore block device",
        is_possible: SURE },
    // The header's copy is the last but one block of the second allocation
    // unit, which is 1 to 64 MiB long.
    Spare { of: "Oracle ASM", name: "Oracle ASM disk (spare header)", class: Class::Member,
        places: |_| (0..7).map(|n| 2 * (MIB << n) - 8192).collect(), magic_at: 32, magic: b"ORCLDISK", is_possible: SURE },
];

/// Where spare superblocks may begin on a device of `size_bytes`.
pub fn places(size_bytes: u64) -> Vec<u64> {
    let all = SPARES.iter().flat_map(|spare| (spare.places)(size_bytes));
    all.filter(|&at| at < size_bytes).collect()
}

/// The first spare superblock of each format that is not among `known`.
pub fn matches(view: &View, known: &[Signature]) -> Vec<Signature> {
    let missing = |spare: &&Spare| !known.iter().any(|signature| signature.name.starts_with(spare.of));
    SPARES.iter().filter(missing).filter_map(|spare| first(view, spare)).collect()
}

fn first(view: &View, spare: &Spare) -> Option<Signature> {
    let is_there = |at: &u64| {
        let is_magic = view.holds(at + spare.magic_at, spare.magic);
        is_magic && (spare.is_possible)(view, *at) == Some(true)
    };
    let at = (spare.places)(view.size_bytes).into_iter().filter(is_there).min()?;
    let offset_bytes = at + spare.magic_at;
    Some(Signature { name: spare.name.to_owned(), class: spare.class, offset_bytes })
}

/// ext2, 3 and 4: group 1, the groups whose number is a power of 3, 5 or 7
/// (`sparse_super`), and the last (`sparse_super2`); each of the size that
/// mke2fs makes by default, as many blocks as one block of bitmap has bits
/// (ext4(5); linux/fs/ext4/balloc.c, `ext4_bg_has_super`).
fn ext_groups(size_bytes: u64) -> Vec<u64> {
    let mut places = Vec::new();
    for block_bytes in (10..=16).map(|log2| 1u64 << log2) {
        let group_bytes = 8 * block_bytes * block_bytes;
        // Only with blocks of 1 KiB is the first block outside all groups.
        let first = if block_bytes == KIB { KIB } else { 0 };
        let last = size_bytes.saturating_sub(first + 1) / group_bytes;
        places.extend([1, last].map(|group| first + group * group_bytes));
        for base in [3u64, 5, 7] {
            let powers = (1..).map_while(|n| base.checked_pow(n));
            places.extend(powers.take_while(|&group| group <= last).map(|group| first + group * group_bytes));
        }
    }
    places.retain(|&at| at >= 1 << 20);
    places
}

/// XFS_AG_MIN_BYTES of xfs_fs.h.
const SMALLEST_GROUP_BYTES: u64 = 16 * MIB;

/// XFS: each allocation group begins with a superblock. mkfs.xfs makes 1, 2,
/// 4, 8, 16 or 32 groups of the same size, or groups of 1 TiB less one block
/// (xfsprogs/libfrog/fsgeom.c and mkfs/xfs_mkfs.c,
/// `calc_default_ag_geometry`). Where a stripe width shifted them, they are
/// left to the samples.
fn xfs_groups(size_bytes: u64) -> Vec<u64> {
    let mut places = Vec::new();
    for block_bytes in (9..=16).map(|log2| 1u64 << log2) {
        let blocks = size_bytes / block_bytes;
        let equal = (1..=5).map(|log2| blocks.div_ceil(1 << log2) * block_bytes);
        for group_bytes in equal.chain([TIB - block_bytes]).filter(|&bytes| bytes >= SMALLEST_GROUP_BYTES) {
            let groups = (1..32).map(|group| group * group_bytes);
            places.extend(groups.take_while(|&at| at < size_bytes));
        }
    }
    places
}
