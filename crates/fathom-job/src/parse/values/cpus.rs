//! CPU lists and masks: `0,2,8-15`, `0xff`.

use super::size::{self, Number};
use super::{BadValue, Piece};
use std::collections::BTreeSet;

/// No Linux kernel has more CPUs (CONFIG_NR_CPUS ends at 8192).
const CPUS_MAX: usize = 8192;

pub(super) fn list(piece: Piece) -> Result<Vec<usize>, BadValue> {
    let mut cpus = BTreeSet::new();
    // fio takes commas behind the last number.
    let piece = piece.head(piece.text.trim_end_matches([',', ' ', '\t']).len());
    for part in piece.split(',').map(Piece::trim) {
        let (first, last) = match part.split_once('-') {
            Some((first, last)) => (number(first.trim())?, number(last.trim())?),
            None => (number(part)?, number(part)?),
        };
        if first > last {
            return Err(BadValue::new(
                "bad-range",
                format!("`{}` is empty: fio would take no CPU", part.text),
            )
            .at(part));
        }
        cpus.extend(first..=last);
    }
    Ok(cpus.into_iter().collect())
}

fn number(piece: Piece) -> Result<usize, BadValue> {
    let whole = !piece.text.is_empty() && piece.text.bytes().all(|b| b.is_ascii_digit());
    piece.text.parse().ok().filter(|n| whole && *n < CPUS_MAX).ok_or_else(|| {
        BadValue::new("bad-number", format!("`{}` is not a number below {CPUS_MAX}", piece.text)).at(piece)
    })
}

/// Reads a mask of 32 CPUs, decimal or hexadecimal.
pub(super) fn mask(piece: Piece) -> Result<Vec<usize>, BadValue> {
    let Number { n: mask, rest, .. } = size::digits(piece, "bad-number")?;
    if !rest.text.is_empty() || mask == 0 || mask > u64::from(u32::MAX) {
        return Err(
            BadValue::new("bad-number", format!("`{}` is not a mask of CPUs 0 to 31", piece.text)).at(piece)
        );
    }
    Ok((0..32).filter(|bit| mask >> bit & 1 == 1).collect())
}
