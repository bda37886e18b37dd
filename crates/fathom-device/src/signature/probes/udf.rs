//! UDF without its volume recognition sequence.

use super::Found;
use crate::signature::View;

/// The anchor is block 256, the last block, or the one 256 blocks before; its
/// tag says which block it is, and has a checksum (ECMA-167 3/7.2, 3/8.4.2.1).
pub fn anchor(view: &View) -> Found {
    // If the device names its format at its start, the table of magics finds it.
    if view.at(0x8001, 3)? != [0, 0, 0] {
        return None;
    }
    let places = [512, 1024, 2048, 4096u64].into_iter().flat_map(|block_bytes| {
        let last = (view.size_bytes / block_bytes).checked_sub(1);
        let blocks = [Some(256), last.and_then(|last| last.checked_sub(256)), last];
        blocks.into_iter().flatten().map(move |block| (block, block * block_bytes))
    });
    let mut found = places.filter(|(block, at)| is_anchor(view, *block, *at) == Some(true));
    Some(("UDF (anchor)", found.next()?.1))
}

fn is_anchor(view: &View, block: u64, at: u64) -> Option<bool> {
    let tag = view.at(at, 16)?;
    let sum = tag[..4].iter().chain(&tag[5..]).fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    let is_descriptor = view.le_u16(at)? == 2 && matches!(view.le_u16(at + 2)?, 2 | 3);
    Some(is_descriptor && sum == tag[4] && u64::from(view.le_u32(at + 12)?) == block)
}
