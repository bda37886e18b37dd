//! Formats that take more than one magic at one place: those whose magic is
//! too short to trust alone, and those whose place depends on the size.

use super::{Class, Extremes, Signature};

/// Name and offset of what a probe found.
type Found = Option<(&'static str, u64)>;

type Probe = fn(&Extremes) -> Found;

const PROBES: [(Class, Probe); 5] = [
    (Class::PartitionTable, mbr),
    (Class::FileSystem, ext),
    (Class::Member, md_0_90),
    (Class::Member, md_1_0),
    (Class::Member, zfs),
];

/// The probes that found something.
pub fn matches(ends: &Extremes) -> Vec<Signature> {
    let found = PROBES.iter().filter_map(|(class, probe)| {
        let (name, offset_bytes) = probe(ends)?;
        Some(Signature { name: name.to_owned(), class: *class, offset_bytes })
    });
    found.collect()
}

/// An MBR: 0x55aa alone also ends every FAT and NTFS boot sector, so the four
/// entries must make sense too, and one must be in use.
fn mbr(ends: &Extremes) -> Found {
    let sector = ends.at(0, 512)?;
    if sector[510..] != [0x55, 0xaa] {
        return None;
    }
    let mut entries = sector[446..510].chunks(16);
    let sane = entries.all(|entry| entry[0] & 0x7f == 0);
    let in_use = |entry: &[u8]| entry[4] != 0 && entry[12..16] != [0; 4];
    let used = sector[446..510].chunks(16).any(in_use);
    (sane && used).then_some(("MBR", 510))
}

/// ext2/3/4. The magic is two bytes, which random data hits once in 65,536
/// devices, so block size and revision must be possible as well. Names follow
/// the feature words (linux/fs/ext4/ext4.h).
fn ext(ends: &Extremes) -> Found {
    const SUPER: u64 = 1024;
    const HAS_JOURNAL: u32 = 0x4;
    const JOURNAL_DEV: u32 = 0x8;
    const EXTENTS_64BIT_FLEX_BG: u32 = 0x40 | 0x80 | 0x200;
    let possible = ends.holds(SUPER + 0x38, &[0x53, 0xef])
        && ends.le_u32(SUPER + 0x18)? <= 6
        && ends.le_u32(SUPER + 0x4c)? <= 1;
    if !possible {
        return None;
    }
    let compat = ends.le_u32(SUPER + 0x5c)?;
    let incompat = ends.le_u32(SUPER + 0x60)?;
    let name = match () {
        () if incompat & JOURNAL_DEV != 0 => "ext journal",
        () if incompat & EXTENTS_64BIT_FLEX_BG != 0 => "ext4",
        () if compat & HAS_JOURNAL != 0 => "ext3",
        () => "ext2",
    };
    Some((name, SUPER + 0x38))
}

const MD_MAGIC: u32 = 0xa92b_4efc;

/// md 0.90: in the last 64 KiB that start at a multiple of 64 KiB, in the
/// byte order of the machine that wrote it (linux/raid/md_p.h).
fn md_0_90(ends: &Extremes) -> Found {
    let at = (ends.size_bytes & !0xffff).checked_sub(0x1_0000)?;
    let magic = ends.le_u32(at)?;
    let found = magic == MD_MAGIC || magic.swap_bytes() == MD_MAGIC;
    found.then_some(("md member (0.90)", at))
}

/// md 1.0: 8 KiB before the end, rounded down to 4 KiB.
fn md_1_0(ends: &Extremes) -> Found {
    let at = ends.size_bytes.checked_sub(16 * 512)? & !0xfff;
    (ends.le_u32(at)? == MD_MAGIC).then_some(("md member (1.0)", at))
}

/// ZFS: four labels of 256 KiB, two at each end; the second half of each is a
/// ring of uberblocks, at least 1 KiB apart (ZFS on-disk specification §1.3).
fn zfs(ends: &Extremes) -> Found {
    const LABEL: u64 = 256 << 10;
    const UBERBLOCK: u64 = 0x00ba_b10c;
    let end = ends.size_bytes & !(LABEL - 1);
    let labels = [Some(0), Some(LABEL), end.checked_sub(2 * LABEL), end.checked_sub(LABEL)];
    for label in labels.into_iter().flatten() {
        for at in (label + LABEL / 2..label + LABEL).step_by(1024) {
            if ends.holds(at, &UBERBLOCK.to_le_bytes()) || ends.holds(at, &UBERBLOCK.to_be_bytes()) {
                return Some(("ZFS member", at));
            }
        }
    }
    None
}
