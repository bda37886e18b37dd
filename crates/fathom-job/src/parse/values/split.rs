//! Weighted block sizes: `4k/60:64k/30:128k/`.

use super::{BadValue, Piece, Units, size};
use crate::units::Bytes;
use crate::value::Split;

/// fio has room for this many block sizes.
const SPLITS_MAX: usize = 64;

/// Reads `size/percent` entries separated by `:`. Entries without a percentage share what the
/// others leave; if all have one, the sum must be 100.
pub(super) fn splits(piece: Piece, units: Units) -> Result<Vec<Split>, BadValue> {
    let mut splits = piece.split(':').map(|part| one(part.trim(), units)).collect::<Result<Vec<_>, _>>()?;
    if splits.len() > SPLITS_MAX {
        return Err(BadValue::new("out-of-range", format!("more than {SPLITS_MAX} block sizes")).at(piece));
    }
    let sum: u32 = splits.iter().filter_map(|s| s.percent).map(u32::from).sum();
    if sum > 100 && units.drops_rest {
        return Ok(first_hundred(splits));
    }
    if sum > 100 {
        return Err(
            BadValue::new("bad-split", format!("the shares make {sum} percent, more than 100")).at(piece)
        );
    }
    if sum < 100 && splits.iter().all(|s| s.percent.is_some()) {
        // fio sorts by share, and draws the last one where no other was drawn.
        let largest = splits.iter_mut().max_by_key(|split| split.percent);
        if let Some(Split { percent: Some(share), .. }) = largest.filter(|_| units.drops_rest) {
            *share += (100 - sum) as u8;
            return Ok(splits);
        }
        return Err(BadValue::new("bad-split", format!("the shares make only {sum} percent"))
            .at(piece)
            .hint("leave one share out (`8k/`) to give it the rest"));
    }
    Ok(splits)
}

/// fio orders block sizes by their shares, and never draws what lies beyond 100 percent.
fn first_hundred(mut splits: Vec<Split>) -> Vec<Split> {
    splits.sort_by_key(|split| split.percent);
    let mut left = 100;
    for split in &mut splits {
        let share = split.percent.unwrap_or(0).min(left);
        (left, split.percent) = (left - share, Some(share));
    }
    splits.retain(|split| split.percent != Some(0));
    splits
}

fn one(piece: Piece, units: Units) -> Result<Split, BadValue> {
    let (size, percent) = match piece.split_once('/') {
        Some((size, percent)) => (size.trim(), Some(percent.trim()).filter(|p| !p.text.is_empty())),
        None => (piece, None),
    };
    let n = size::bytes(size, units)?;
    if n == 0 {
        return Err(BadValue::new("out-of-range", "a block size must be at least 1 byte").at(size));
    }
    let share = |percent| if units.drops_rest { Ok(share_as_fio(percent)) } else { share(percent).map(Some) };
    Ok(Split { bytes: Bytes(n), percent: percent.map(share).transpose()?.flatten() })
}

/// The number that a text begins with, 100 at most; without one, or with 0, a share of
/// what the others leave.
fn share_as_fio(piece: Piece) -> Option<u8> {
    let digits = piece.head(piece.leading(|c| c.is_ascii_digit())).text;
    let share: u8 = digits.parse().unwrap_or(if digits.is_empty() { 0 } else { 100 });
    Some(share.min(100)).filter(|share| *share > 0)
}

fn share(piece: Piece) -> Result<u8, BadValue> {
    let digits = piece.text.strip_suffix('%').unwrap_or(piece.text);
    let whole = digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|n| whole && *n <= 100).ok_or_else(|| {
        BadValue::new("bad-split", format!("`{}` is not a whole percentage", piece.text)).at(piece)
    })
}
