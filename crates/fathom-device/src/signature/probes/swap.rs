//! Swap areas, and images of a hibernated system in them.

use super::Found;
use crate::signature::View;

/// The magic ends the first page, and pages have 4 to 64 KiB, by architecture
/// (linux/swap.h; the kernel and others put theirs over it when they
/// hibernate).
const MAGICS: [(&str, &[u8]); 6] = [
    ("swap", b"SWAPSPACE2"),
    ("swap (old)", b"SWAP-SPACE"),
    ("hibernation image", b"S1SUSPEND"),
    ("hibernation image", b"S2SUSPEND"),
    ("hibernation image", b"ULSUSPEND"),
    ("hibernation image", b"LINHIB0001"),
];

/// TuxOnIce keeps a magic of its own at the start.
const TUX_ON_ICE: [u8; 8] = [0xed, 0xc3, 0x02, 0xe9, 0x98, 0x56, 0xe5, 0x0c];

pub fn swap(view: &View) -> Found {
    if view.holds(0, &TUX_ON_ICE) {
        return Some(("hibernation image", 0));
    }
    let places = (12..=16).map(|log2| (1u64 << log2) - 10);
    places.into_iter().find_map(|at| {
        let (name, _) = MAGICS.iter().find(|(_, magic)| view.holds(at, magic))?;
        Some((*name, at))
    })
}
