//! Amounts of data: `4k`, `0x1000`, `50%`, `12z`, `(1024*1k)`.
//!
//! fio turns the prefixes round, on purpose: with `kb_base=1024` (the default)
//! `k` is 1024 and `kib` is 1000; with `kb_base=1000` it is the other way.

use super::{BadValue, Piece, Units, calc, hints};
use crate::units::Bytes;
use crate::value::Size;

/// Which amounts an option takes.
#[derive(Clone, Copy)]
pub(super) struct Allowed {
    /// Fewest bytes.
    pub min: u64,
    /// `N%`.
    pub percent: bool,
    /// `Nz`.
    pub zones: bool,
}

pub(super) fn size(piece: Piece, units: Units, allowed: Allowed) -> Result<Size, BadValue> {
    let lower = piece.text.to_ascii_lowercase();
    if let Some(n) = lower.strip_suffix('%').filter(|n| all_digits(n)) {
        return percent(piece, n, allowed.percent);
    }
    if let Some(n) = lower.strip_suffix('z').filter(|n| all_digits(n)) {
        return zones(piece, n, allowed.zones);
    }
    let n = bytes(piece, units)?;
    if n < allowed.min {
        return Err(
            BadValue::new("out-of-range", format!("must be at least {} bytes", allowed.min)).at(piece)
        );
    }
    Ok(Size::Bytes(Bytes(n)))
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn percent(piece: Piece, digits: &str, allowed: bool) -> Result<Size, BadValue> {
    if !allowed {
        return Err(BadValue::new("bad-size", "this option takes bytes, not a percentage").at(piece));
    }
    match digits.parse::<u8>() {
        Ok(n) if n <= 100 => Ok(Size::Percent(n)),
        _ => Err(BadValue::new("out-of-range", "more than 100 percent").at(piece)),
    }
}

fn zones(piece: Piece, digits: &str, allowed: bool) -> Result<Size, BadValue> {
    if !allowed {
        return Err(BadValue::new("bad-size", "this option takes bytes, not zones").at(piece));
    }
    let n = digits
        .parse()
        .map_err(|_| BadValue::new("out-of-range", "more zones than can be counted").at(piece))?;
    Ok(Size::Zones(n))
}

pub(super) fn bytes(piece: Piece, units: Units) -> Result<u64, BadValue> {
    let kb = units.kb;
    if piece.text.starts_with('(') {
        let n = calc::whole(piece, calc::Unit::Size(kb))?;
        return u64::try_from(n)
            .map_err(|_| BadValue::new("out-of-range", format!("{n} is not a size")).at(piece));
    }
    if piece.text.starts_with('-') {
        return Err(BadValue::new("out-of-range", "a size cannot be negative").at(piece));
    }
    let Number { n, rest: suffix, is_hex } = digits(piece, "bad-size")?;
    if is_hex && units.drops_rest {
        return Ok(n);
    }
    no_unit_behind_hex(piece, n, suffix, is_hex)?;
    let mult = match multiplier(suffix.text, kb) {
        Some(mult) => mult,
        None if units.drops_rest => hints::fio_multiplier(suffix.text, kb),
        None => return Err(truncated(piece, n, suffix, kb)),
    };
    n.checked_mul(mult).ok_or_else(|| too_large(piece))
}

/// A number at the beginning of a text.
pub(super) struct Number<'a> {
    pub n: u64,
    /// What follows it.
    pub rest: Piece<'a>,
    /// It was written as `0x…`. fio knows no unit behind such a number.
    pub is_hex: bool,
}

/// The leading number, decimal or `0x…`, and what follows it.
pub(super) fn digits<'a>(piece: Piece<'a>, code: &'static str) -> Result<Number<'a>, BadValue> {
    let number = if piece.text.starts_with('+') { piece.tail(1) } else { piece };
    let hex = number.text.starts_with("0x") || number.text.starts_with("0X");
    let (body, radix) = if hex { (number.tail(2), 16) } else { (number, 10) };
    let end = body.leading(|c| c.is_digit(radix));
    if end == 0 {
        let is_path = piece.text.starts_with(['/', '.', '~']) && piece.text.contains('/');
        let hint = is_path.then(|| format!("a file or device belongs to filename: filename={}", piece.text));
        return Err(BadValue::new(code, format!("`{}` is not a number", piece.text)).at(piece).hint_if(hint));
    }
    let n = u64::from_str_radix(&body.text[..end], radix).map_err(|_| too_large(piece))?;
    Ok(Number { n, rest: body.tail(end), is_hex: hex })
}

pub(super) fn no_unit_behind_hex(piece: Piece, n: u64, rest: Piece, is_hex: bool) -> Result<(), BadValue> {
    if !is_hex || !rest.text.starts_with(char::is_alphanumeric) {
        return Ok(());
    }
    let message = format!("`{}`: no unit can follow a hexadecimal number, fio would read {n}", piece.text);
    Err(BadValue::new("truncated-value", message).at(rest))
}

fn too_large(piece: Piece) -> BadValue {
    BadValue::new("out-of-range", format!("`{}` is more than 64 bits can hold", piece.text)).at(piece)
}

/// What a suffix multiplies by: `""`, `b`, `k`, `kb`, `kib` and so on to `p`,
/// in any case. `ki` without `b` is none: fio's manual and fio disagree on it.
pub(super) fn multiplier(suffix: &str, kb: u64) -> Option<u64> {
    let lower = suffix.to_ascii_lowercase();
    let (unit, binary) = match lower.strip_suffix("ib") {
        Some(unit) => (unit, true),
        None => (lower.strip_suffix('b').unwrap_or(&lower), false),
    };
    let power = match unit {
        "" if !binary => return Some(1),
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return None,
    };
    let other = if kb == 1024 { 1000u64 } else { 1024 };
    Some(if binary { other.pow(power) } else { kb.pow(power) })
}

/// The error for a number with a rest that is not a unit.
fn truncated(piece: Piece, n: u64, suffix: Piece, kb: u64) -> BadValue {
    let ki = suffix.text.len() == 2
        && suffix.text.ends_with(['i', 'I'])
        && multiplier(&suffix.text[..1], kb).is_some();
    if ki {
        let unit = &suffix.text[..1];
        return BadValue::new(
            "ambiguous-unit",
            format!("`{}`: fio's manual and fio itself disagree on what `{}` means", piece.text, suffix.text),
        )
        .at(piece)
        .hint(format!("write {n}{unit} to count by {kb}, or {n}{unit}ib to count by {}", 2024 - kb));
    }
    let fio = hints::fio_size(n, suffix.text, kb);
    BadValue::new("truncated-value", format!("`{}` is not a size: fio would read {fio}", piece.text))
        .at(suffix)
        .hint_if(hints::size(piece.text, kb))
        .hint("whole numbers with a unit of k, m, g, t or p")
}
