//! Ranges of sizes and of times: `4k-64k`, `4k:64k`, `10-20s`.

use super::{BadValue, Piece, Units, size, time};
use crate::units::{Bytes, Nanos};
use crate::value::SizeRange;

/// The two ends: before and after the first `-`, or else the first `:`.
fn ends(piece: Piece<'_>) -> Option<(Piece<'_>, Piece<'_>)> {
    if piece.text.starts_with('(') {
        return None;
    }
    piece.split_once('-').or_else(|| piece.split_once(':')).map(|(low, high)| (low.trim(), high.trim()))
}

/// Reads a range of sizes; ends in the wrong order are turned round, as in fio.
pub(super) fn sizes(piece: Piece, units: Units, lone: bool) -> Result<SizeRange, BadValue> {
    let end = |end: Piece| -> Result<Bytes, BadValue> {
        match size::bytes(end, units)? {
            0 => Err(BadValue::new("out-of-range", "must be at least 1 byte").at(end)),
            n => Ok(Bytes(n)),
        }
    };
    let (a, b) = match ends(piece) {
        Some((low, high)) => (end(low)?, end(high)?),
        None if lone => (end(piece)?, end(piece)?),
        None => {
            return Err(BadValue::new("bad-range", format!("`{}` is not a range", piece.text))
                .at(piece)
                .hint("low-high, as in 4k-64k; one size alone is bs"));
        }
    };
    Ok(SizeRange { low: a.min(b), high: a.max(b) })
}

/// Reads one time or a range of times, bare numbers in seconds.
pub(super) fn times(piece: Piece, units: Units) -> Result<(Nanos, Nanos), BadValue> {
    let Some((low, high)) = ends(piece) else {
        let t = time::time(piece, true, units)?;
        return Ok((t, t));
    };
    let (a, b) = (time::time(low, true, units)?, time::time(high, true, units)?);
    Ok((a.min(b), a.max(b)))
}
