//! Amounts of data: `4k`, `0x1000`, `50%`, `12z`, `(1024*1k)`.
//!
//! fio turns the prefixes round, on purpose: with `kb_base=1024` (the default)
//! `k` is 1024 and `kib` is 1000; with `kb_base=1000` it is the other way.

use super::{BadValue, Piece, Units, calc, time};
use crate::option::Kind;
use crate::units::{Bytes, Nanos};
use crate::value::{Size, SizeRange, Split};

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
        return Err(piece.bad("out-of-range", format!("must be at least {} bytes", allowed.min)));
    }
    Ok(Size::Bytes(Bytes(n)))
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn percent(piece: Piece, digits: &str, allowed: bool) -> Result<Size, BadValue> {
    if !allowed {
        return Err(piece.bad("bad-size", "this option takes bytes, not a percentage"));
    }
    match digits.parse::<u8>() {
        Ok(n) if n <= 100 => Ok(Size::Percent(n)),
        _ => Err(piece.bad("out-of-range", "more than 100 percent")),
    }
}

fn zones(piece: Piece, digits: &str, allowed: bool) -> Result<Size, BadValue> {
    if !allowed {
        return Err(piece.bad("bad-size", "this option takes bytes, not zones"));
    }
    let n = digits.parse().map_err(|_| piece.bad("out-of-range", "more zones than can be counted"))?;
    Ok(Size::Zones(n))
}

pub(super) fn bytes(piece: Piece, units: Units) -> Result<u64, BadValue> {
    let kb = units.kb;
    if piece.text.starts_with('(') {
        let n = calc::whole(piece, calc::Unit::Size(kb))?;
        return u64::try_from(n).map_err(|_| piece.bad("out-of-range", format!("{n} is not a size")));
    }
    if piece.text.starts_with('-') {
        return Err(piece.bad("out-of-range", "a size cannot be negative"));
    }
    let Number { n, rest: suffix, is_hex } = digits(piece, "bad-size")?;
    if is_hex && units.drops_rest {
        return Ok(n);
    }
    no_unit_behind_hex(piece, n, suffix, is_hex)?;
    let mult = match multiplier(suffix.text, kb) {
        Some(mult) => mult,
        None if units.drops_rest => time::fio_multiplier(suffix.text, kb),
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
        return Err(piece.bad(code, format!("`{}` is not a number", piece.text)).hint_if(hint));
    }
    let n = u64::from_str_radix(&body.text[..end], radix).map_err(|_| too_large(piece))?;
    Ok(Number { n, rest: body.tail(end), is_hex: hex })
}

pub(super) fn no_unit_behind_hex(piece: Piece, n: u64, rest: Piece, is_hex: bool) -> Result<(), BadValue> {
    if !is_hex || !rest.text.starts_with(char::is_alphanumeric) {
        return Ok(());
    }
    let message = format!("`{}`: no unit can follow a hexadecimal number, fio would read {n}", piece.text);
    Err(rest.bad("truncated-value", message))
}

fn too_large(piece: Piece) -> BadValue {
    piece.bad("out-of-range", format!("`{}` is more than 64 bits can hold", piece.text))
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
        return piece
            .bad(
                "ambiguous-unit",
                format!(
                    "`{}`: fio's manual and fio itself disagree on what `{}` means",
                    piece.text, suffix.text
                ),
            )
            .hint(format!("write {n}{unit} to count by {kb}, or {n}{unit}ib to count by {}", 2024 - kb));
    }
    let fio = time::fio_size(n, suffix.text, kb);
    suffix
        .bad("truncated-value", format!("`{}` is not a size: fio would read {fio}", piece.text))
        .hint_if(time::size_hint(piece.text, kb))
        .hint("whole numbers with a unit of k, m, g, t or p")
}

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
        match bytes(end, units)? {
            0 => Err(end.bad("out-of-range", "must be at least 1 byte")),
            n => Ok(Bytes(n)),
        }
    };
    let (a, b) = match ends(piece) {
        Some((low, high)) => (end(low)?, end(high)?),
        None if lone => (end(piece)?, end(piece)?),
        None => {
            return Err(piece
                .bad("bad-range", format!("`{}` is not a range", piece.text))
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

/// A size whose unit means the reverse of what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inverted {
    /// As written: `4kib`.
    pub text: String,
    /// Its first character within the value.
    pub start: usize,
    /// What it is, in bytes.
    pub bytes: u64,
    /// What its letters mean, in bytes.
    pub meant: u64,
    /// How to write that: `4k`.
    pub instead: String,
}

/// Such sizes in a value of this kind, read with `kb_base=1024`.
pub(crate) fn inverted(kind: &Kind, text: &str) -> Vec<Inverted> {
    if has_sizes(kind) {
        words(text).into_iter().filter_map(|(start, word)| inverted_number(start, word)).collect()
    } else {
        Vec::new()
    }
}

fn has_sizes(kind: &Kind) -> bool {
    match kind {
        Kind::Int { .. } | Kind::Size { .. } | Kind::Range { .. } | Kind::Splits | Kind::Rw => true,
        Kind::Distribution => true,
        Kind::PerDirection(each) => has_sizes(each),
        _ => false,
    }
}

/// Runs of letters and digits, with the character each starts at.
fn words(text: &str) -> Vec<(usize, &str)> {
    let starts = |part: &&str| part.as_ptr() as usize - text.as_ptr() as usize;
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
        .map(|part| (text[..starts(&part)].chars().count(), part))
        .collect()
}

fn inverted_number(start: usize, word: &str) -> Option<Inverted> {
    let digits = word.find(|c: char| !c.is_ascii_digit())?;
    let n: u64 = word[..digits].parse().ok()?;
    let suffix = &word[digits..];
    let letter = suffix.to_ascii_lowercase().strip_suffix("ib")?.to_owned();
    let bytes = n.checked_mul(multiplier(suffix, 1024)?)?;
    let meant = n.checked_mul(multiplier(&letter, 1024)?)?;
    Some(Inverted { text: word.to_owned(), start, bytes, meant, instead: format!("{n}{letter}") })
}

/// fio has room for this many block sizes.
const SPLITS_MAX: usize = 64;

/// Reads `size/percent` entries separated by `:`. Entries without a percentage share what the
/// others leave; if all have one, the sum must be 100.
pub(super) fn splits(piece: Piece, units: Units) -> Result<Vec<Split>, BadValue> {
    let mut splits =
        piece.split(':').map(|part| weighted(part.trim(), units)).collect::<Result<Vec<_>, _>>()?;
    if splits.len() > SPLITS_MAX {
        return Err(piece.bad("out-of-range", format!("more than {SPLITS_MAX} block sizes")));
    }
    let sum: u32 = splits.iter().filter_map(|s| s.percent).map(u32::from).sum();
    if sum > 100 && units.drops_rest {
        return Ok(first_hundred(splits));
    }
    if sum > 100 {
        return Err(piece.bad("bad-split", format!("the shares make {sum} percent, more than 100")));
    }
    if sum < 100 && splits.iter().all(|s| s.percent.is_some()) {
        // fio sorts by share, and draws the last one where no other was drawn.
        let largest = splits.iter_mut().max_by_key(|split| split.percent);
        if let Some(Split { percent: Some(share), .. }) = largest.filter(|_| units.drops_rest) {
            *share += (100 - sum) as u8;
            return Ok(splits);
        }
        return Err(piece
            .bad("bad-split", format!("the shares make only {sum} percent"))
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

fn weighted(piece: Piece, units: Units) -> Result<Split, BadValue> {
    let (size, percent) = match piece.split_once('/') {
        Some((size, percent)) => (size.trim(), Some(percent.trim()).filter(|p| !p.text.is_empty())),
        None => (piece, None),
    };
    let n = bytes(size, units)?;
    if n == 0 {
        return Err(size.bad("out-of-range", "a block size must be at least 1 byte"));
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
    digits
        .parse()
        .ok()
        .filter(|n| whole && *n <= 100)
        .ok_or_else(|| piece.bad("bad-split", format!("`{}` is not a whole percentage", piece.text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_ib_are_found_wherever_they_stand() {
        let inverted_in = |kind: &Kind, text: &str| -> Vec<(usize, u64, u64, String)> {
            inverted(kind, text).into_iter().map(|i| (i.start, i.bytes, i.meant, i.instead)).collect()
        };
        let bs = Kind::PerDirection(&Kind::BLOCK);
        assert_eq!(inverted_in(&bs, "4k,8KiB"), [(3, 8000, 8192, "8k".to_owned())]);
        assert_eq!(inverted_in(&Kind::Splits, "1mib/50:4k/50"), [(0, 1_000_000, 1 << 20, "1m".to_owned())]);
        assert_eq!(inverted_in(&Kind::Range { lone: true }, "4k-2gib")[0].0, 3);
        for (kind, text) in
            [(&Kind::BYTES, "4kb"), (&Kind::BYTES, "4096"), (&Kind::Text, "4kib"), (&Kind::BYTES, "0x4")]
        {
            assert!(inverted(kind, text).is_empty(), "{text}");
        }
    }
}
