//! Plain numbers and lists: counts, fractions, names, CPUs, errors to ignore.

use super::size::{self, Number};
use super::{BadValue, Piece, Units, calc, time};
use crate::value::IgnoredErrors;
use std::collections::BTreeSet;

/// Reads a whole number within bounds; it may carry a unit (`2k`) or be an
/// expression in parentheses.
pub(super) fn int(piece: Piece, units: Units, min: i64, max: i64) -> Result<i64, BadValue> {
    let n = if piece.text.starts_with('(') {
        calc::whole(piece, calc::Unit::Size(units.kb))?
    } else {
        plain(piece, units, max)?
    };
    let n = i64::try_from(n).ok().filter(|n| (min..=max).contains(n));
    n.ok_or_else(|| piece.bad("out-of-range", format!("`{}` is not within {min} and {max}", piece.text)))
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
    let mult = mult.or(units.drops_rest.then(|| time::fio_multiplier(suffix.text, kb)));
    let mult = mult.or(is_no_fraction(suffix.text).then_some(1));
    let mult = mult.ok_or_else(|| truncated(piece, n, suffix, kb))?;
    let n = i128::from(n) * i128::from(mult);
    Ok(if negative { -n } else { n })
}

fn truncated(piece: Piece, n: u64, suffix: Piece, kb: u64) -> BadValue {
    let fio = time::fio_size(n, suffix.text, kb);
    let fio = fio.split(' ').next().unwrap_or_default();
    // Few options that count take 0, so it is not proposed.
    let hint = if n == 0 {
        "write a whole number".to_owned()
    } else {
        format!("write {fio}, or another whole number")
    };
    suffix
        .bad("truncated-value", format!("`{}` is not a whole number: fio would read {fio}", piece.text))
        .hint(hint)
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
            Err(piece.bad("out-of-range", format!("`{}` is not within {min} and {max}", piece.text)))
        }
        _ => Err(piece.bad("bad-number", format!("`{}` is not a number", piece.text))),
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
        return Err(piece.bad("out-of-range", format!("more than {LIST_MAX} numbers")));
    }
    Ok(numbers)
}

/// Splits at `:`; `\:` is a colon within a name.
pub(super) fn names(piece: Piece) -> Result<Vec<String>, BadValue> {
    let mut names = vec![String::new()];
    let mut chars = piece.text.chars().peekable();
    while let Some(c) = chars.next() {
        let last = names.len() - 1;
        match c {
            '\\' if chars.peek() == Some(&':') => names[last].extend(chars.next()),
            // A simulated drive: `sim:datacentre/64`.
            ':' if names[last].trim() == "sim" => names[last].push(c),
            ':' => names.push(String::new()),
            c => names[last].push(c),
        }
    }
    if names.iter().any(|name| name.trim().is_empty()) {
        return Err(piece
            .bad("empty-name", "an empty name in the list: fio would stop there")
            .hint("write `\\:` for a colon that belongs to a name"));
    }
    if names.iter().any(|name| name.trim_end().ends_with('\\')) {
        return Err(piece.bad("bad-name", "a name cannot end in `\\`"));
    }
    Ok(names.into_iter().map(|name| name.trim().to_owned()).collect())
}

pub(super) fn join(names: &[String]) -> String {
    names.iter().map(|name| name.replace(':', "\\:")).collect::<Vec<_>>().join(":")
}

/// No Linux kernel has more CPUs (CONFIG_NR_CPUS ends at 8192).
const CPUS_MAX: usize = 8192;

pub(super) fn cpu_list(piece: Piece) -> Result<Vec<usize>, BadValue> {
    let mut cpus = BTreeSet::new();
    // fio takes commas behind the last number.
    let piece = piece.head(piece.text.trim_end_matches([',', ' ', '\t']).len());
    for part in piece.split(',').map(Piece::trim) {
        let (first, last) = match part.split_once('-') {
            Some((first, last)) => (cpu_number(first.trim())?, cpu_number(last.trim())?),
            None => (cpu_number(part)?, cpu_number(part)?),
        };
        if first > last {
            return Err(part.bad("bad-range", format!("`{}` is empty: fio would take no CPU", part.text)));
        }
        cpus.extend(first..=last);
    }
    Ok(cpus.into_iter().collect())
}

fn cpu_number(piece: Piece) -> Result<usize, BadValue> {
    let whole = !piece.text.is_empty() && piece.text.bytes().all(|b| b.is_ascii_digit());
    piece
        .text
        .parse()
        .ok()
        .filter(|n| whole && *n < CPUS_MAX)
        .ok_or_else(|| piece.bad("bad-number", format!("`{}` is not a number below {CPUS_MAX}", piece.text)))
}

/// Reads a mask of 32 CPUs, decimal or hexadecimal.
pub(super) fn mask(piece: Piece) -> Result<Vec<usize>, BadValue> {
    let Number { n: mask, rest, .. } = size::digits(piece, "bad-number")?;
    if !rest.text.is_empty() || mask == 0 || mask > u64::from(u32::MAX) {
        return Err(piece.bad("bad-number", format!("`{}` is not a mask of CPUs 0 to 31", piece.text)));
    }
    Ok((0..32).filter(|bit| mask >> bit & 1 == 1).collect())
}

/// Error numbers of Linux that I/O can meet (asm-generic/errno.h), by name.
#[rustfmt::skip]
const NAMES: &[(&str, i32)] = &[
    ("EPERM", 1), ("ENOENT", 2), ("EINTR", 4), ("EIO", 5), ("ENXIO", 6), ("EBADF", 9), ("EAGAIN", 11),
    ("EWOULDBLOCK", 11), ("ENOMEM", 12), ("EACCES", 13), ("EFAULT", 14), ("ENOTBLK", 15), ("EBUSY", 16),
    ("EEXIST", 17), ("EXDEV", 18), ("ENODEV", 19), ("EINVAL", 22), ("ENFILE", 23), ("EMFILE", 24), ("ETXTBSY", 26),
    ("EFBIG", 27), ("ENOSPC", 28), ("ESPIPE", 29), ("EROFS", 30), ("ENOSYS", 38), ("ENODATA", 61), ("ETIME", 62),
    ("ENOLINK", 67), ("EBADMSG", 74), ("EOVERFLOW", 75), ("EILSEQ", 84), ("EOPNOTSUPP", 95), ("ENOTCONN", 107),
    ("ETIMEDOUT", 110), ("ECONNREFUSED", 111), ("ESTALE", 116), ("EREMOTEIO", 121), ("EDQUOT", 122),
    ("ENOMEDIUM", 123), ("EMEDIUMTYPE", 124), ("ECANCELED", 125), ("EUCLEAN", 117),
];

/// Reads up to three lists, for read, write and verify.
pub(super) fn error_lists(piece: Piece) -> Result<IgnoredErrors, BadValue> {
    let mut errors = IgnoredErrors::default();
    for (i, part) in piece.split(',').enumerate() {
        let list = match i {
            0 => &mut errors.read,
            1 => &mut errors.write,
            2 => &mut errors.verify,
            _ => return Err(part.bad("too-many-values", "more than read, write and verify")),
        };
        for name in part.split(':').map(Piece::trim).filter(|name| !name.text.is_empty()) {
            list.push(error_number(name)?);
        }
    }
    Ok(errors)
}

fn error_number(piece: Piece) -> Result<i32, BadValue> {
    let named = NAMES.iter().find(|(name, _)| *name == piece.text).map(|(_, n)| *n);
    // Linux returns errors up to MAX_ERRNO, 4095.
    let number = || piece.text.parse().ok().filter(|n| (1..=4095).contains(n));
    named
        .or_else(number)
        .ok_or_else(|| piece.bad("bad-number", format!("`{}` is not an error name or number", piece.text)))
}
