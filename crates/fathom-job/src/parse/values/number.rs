//! Plain numbers: counts, fractions, lists of fractions.

use super::size::{self, Number};
use super::{BadValue, Piece, Units, calc, hints};

/// Reads a whole number within bounds; it may carry a unit (`2k`) or be an
/// expression in parentheses.
pub(super) fn int(piece: Piece, units: Units, min: i64, max: i64) -> Result<i64, BadValue> {
    let n = if piece.text.starts_with('(') {
        calc::whole(piece, calc::Unit::Size(units.kb))?
    } else {
        plain(piece, units, max)?
    };
    let n = i64::try_from(n).ok().filter(|n| (min..=max).contains(n));
    n.ok_or_else(|| {
        BadValue::new("out-of-range", format!("`{}` is not within {min} and {max}", piece.text)).at(piece)
    })
}

/// A number that is not an expression. Options in percent (at most 100) may have a `%`.
fn plain(piece: Piece, units: Units, max: i64) -> Result<i128, BadValue> {
    let kb = units.kb;
    let (negative, body) = match piece.text.starts_with('-') {
        true => (true, piece.tail(1)),
        false => (false, piece),
    };
    let Number { n, rest: suffix, is_hex } = size::digits(body, "bad-number")?;
    if !units.drops_rest {
        size::no_unit_behind_hex(piece, n, suffix, is_hex)?;
    }
    let mult = if is_hex && units.drops_rest { Some(1) } else { size::multiplier(suffix.text, kb) };
    let mult = mult.or((suffix.text == "%" && max == 100).then_some(1));
    let mult = mult.or(units.drops_rest.then(|| hints::fio_multiplier(suffix.text, kb)));
    let mult = mult.or(is_no_fraction(suffix.text).then_some(1));
    let mult = mult.ok_or_else(|| truncated(piece, n, suffix, kb))?;
    let n = i128::from(n) * i128::from(mult);
    Ok(if negative { -n } else { n })
}

fn truncated(piece: Piece, n: u64, suffix: Piece, kb: u64) -> BadValue {
    let fio = hints::fio_size(n, suffix.text, kb);
    let fio = fio.split(' ').next().unwrap_or_default();
    BadValue::new("truncated-value", format!("`{}` is not a whole number: fio would read {fio}", piece.text))
        .at(suffix)
        .hint(format!("write {fio}, or another whole number"))
}

/// `.0`: what fio does not read changes nothing. A unit behind it would.
fn is_no_fraction(text: &str) -> bool {
    text.strip_prefix('.').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b == b'0'))
}

pub(super) fn float(piece: Piece, units: Units, min: f64, max: f64) -> Result<f64, BadValue> {
    let is_hex = piece.text.starts_with("0x") || piece.text.starts_with("0X");
    let piece = if units.drops_rest && !is_hex { longest_number(piece) } else { piece };
    let plain = units.drops_rest || piece.text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    match piece.text.parse::<f64>() {
        Ok(x) if plain && (min..=max).contains(&x) => Ok(x),
        Ok(_) if plain => {
            Err(BadValue::new("out-of-range", format!("`{}` is not within {min} and {max}", piece.text))
                .at(piece))
        }
        _ => Err(BadValue::new("bad-number", format!("`{}` is not a number", piece.text)).at(piece)),
    }
}

/// The longest beginning that is a number, also `1e3`; all of it where there is none.
fn longest_number(piece: Piece) -> Piece {
    let is_number = |end: &usize| piece.text.get(..*end).is_some_and(|text| text.parse::<f64>().is_ok());
    (1..=piece.text.len()).rev().find(is_number).map_or(piece, |end| piece.head(end))
}

/// fio has room for this many percentiles.
const LIST_MAX: usize = 20;

/// Reads percents separated by `:`.
pub(super) fn list(piece: Piece, units: Units) -> Result<Vec<f64>, BadValue> {
    let numbers =
        piece.split(':').map(|part| float(part.trim(), units, 0.0, 100.0)).collect::<Result<Vec<_>, _>>()?;
    if numbers.len() > LIST_MAX {
        return Err(BadValue::new("out-of-range", format!("more than {LIST_MAX} numbers")).at(piece));
    }
    Ok(numbers)
}
