//! Members of arrays whose metadata takes more than a magic to find.

use super::Match;
use crate::signature::View;

const MD_MAGIC: u32 = 0xa92b_4efc;

/// md 0.90: in the last 64 KiB that start at a multiple of 64 KiB, in the
/// byte order of the machine that wrote it (linux/raid/md_p.h).
pub fn md_0_90(view: &View) -> Match {
    let at = (view.size_bytes & !0xffff).checked_sub(0x1_0000)?;
    let magic = view.le_u32(at)?;
    let is_member = magic == MD_MAGIC || magic.swap_bytes() == MD_MAGIC;
    is_member.then_some(("md member (0.90)", at))
}

/// md 1.0: 8 KiB before the end, rounded down to 4 KiB.
pub fn md_1_0(view: &View) -> Match {
    let at = view.size_bytes.checked_sub(16 * 512)? & !0xfff;
    (view.le_u32(at)? == MD_MAGIC).then_some(("md member (1.0)", at))
}

/// ZFS: four labels of 256 KiB, two at each end; the second half of each is a
/// ring of uberblocks, at least 1 KiB apart (ZFS on-disk specification §1.3).
pub fn zfs(view: &View) -> Match {
    const LABEL: u64 = 256 << 10;
    const UBERBLOCK: u64 = 0x00ba_b10c;
    let end = view.size_bytes & !(LABEL - 1);
    let labels = [Some(0), Some(LABEL), end.checked_sub(2 * LABEL), end.checked_sub(LABEL)];
    for label in labels.into_iter().flatten() {
        for at in (label + LABEL / 2..label + LABEL).step_by(1024) {
            if view.holds(at, &UBERBLOCK.to_le_bytes()) || view.holds(at, &UBERBLOCK.to_be_bytes()) {
                return Some(("ZFS member", at));
            }
        }
    }
    None
}

/// Silicon Image: the last sector, with a sum that makes the first 0x140
/// bytes zero in words of 16 bits. Of the magic's four bytes three are zero.
pub fn silicon(view: &View) -> Match {
    const MAGIC: [u8; 4] = [0, 0, 0, 0x2f];
    let at = view.from_end(512)?;
    let sector = view.at(at, 512)?;
    let words = sector[..0x140].chunks(2).map(|word| u16::from_le_bytes([word[0], word[1]]));
    let is_summed = words.fold(0u16, u16::wrapping_add) == 0;
    (sector[0x60..0x64] == MAGIC && is_summed).then_some(("Silicon Image RAID member", at + 0x60))
}

/// VIA: the last sector begins with 0x55aa, a version up to 2, and ends its
/// 51 bytes with the sum of those before.
pub fn via(view: &View) -> Match {
    let at = view.from_end(512)?;
    let metadata = view.at(at, 51)?;
    let sum = metadata[..50].iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    let is_member = metadata[..2] == [0x55, 0xaa] && metadata[2] <= 2 && sum == metadata[50];
    is_member.then_some(("VIA RAID member", at))
}
