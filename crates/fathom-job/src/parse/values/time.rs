//! Spans of time: `30`, `30s`, `500ms`, `2h`, `(2*60s)`.
//!
//! A bare number counts seconds in some options and microseconds in others;
//! inside parentheses it always counts microseconds.

use super::size::{self, Number};
use super::{BadValue, Piece, Units, calc, print};
use crate::units::{Bytes, Nanos};
use fathom_text::words::counted;

pub(super) fn time(piece: Piece, bare_seconds: bool, units: Units) -> Result<Nanos, BadValue> {
    if piece.text.starts_with('(') {
        let us = calc::whole(piece, calc::Unit::Time)?;
        return u64::try_from(us)
            .ok()
            .and_then(|us| us.checked_mul(1000))
            .map(Nanos)
            .ok_or_else(|| too_long(piece));
    }
    if piece.text.starts_with('-') {
        return Err(piece.bad("out-of-range", "a time cannot be negative"));
    }
    let Number { n, rest: suffix, is_hex } = size::digits(piece, "bad-time")?;
    if is_hex && !units.drops_rest {
        let message = format!("`{}`: fio would read {}", piece.text, counted(n, "microsecond"));
        return Err(piece.bad("truncated-value", message).hint("write the time as a decimal number"));
    }
    let us = match suffix.text {
        // The `x` of `0x10` is a unit that fio does not know.
        _ if is_hex => 1,
        "" if bare_seconds => 1_000_000,
        "" => 1,
        text => match micros(text) {
            Some(us) => us,
            None if units.drops_rest => fio_micros(text, bare_seconds),
            None => return Err(truncated(piece, n, suffix, bare_seconds)),
        },
    };
    n.checked_mul(us).and_then(|us| us.checked_mul(1000)).map(Nanos).ok_or_else(|| too_long(piece))
}

pub(super) fn micros(suffix: &str) -> Option<u64> {
    Some(match suffix.to_ascii_lowercase().as_str() {
        "us" | "usec" | "usecs" => 1,
        "ms" | "msec" | "msecs" => 1_000,
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000,
        _ => return None,
    })
}

fn too_long(piece: Piece) -> BadValue {
    piece.bad("out-of-range", format!("`{}` is longer than 584 years", piece.text))
}

/// fio looks at the first character after the digits: if it is not a letter, the
/// number is a bare one. What begins as `ms` is milliseconds, and any other unit that
/// fio does not know is microseconds.
fn fio_micros(suffix: &str, bare_seconds: bool) -> u64 {
    match suffix.to_ascii_lowercase().as_str() {
        text if !text.starts_with(|c: char| c.is_ascii_alphabetic()) && bare_seconds => 1_000_000,
        text if text.starts_with("ms") => 1_000,
        _ => 1,
    }
}

fn truncated(piece: Piece, n: u64, suffix: Piece, bare_seconds: bool) -> BadValue {
    let unit = match fio_micros(suffix.text, bare_seconds) {
        1 => "microsecond",
        1_000 => "millisecond",
        _ => "second",
    };
    let fio = counted(n, unit);
    suffix
        .bad("truncated-value", format!("`{}` is not a time: fio would read {fio}", piece.text))
        .hint_if(time_hint(piece.text))
        .hint("whole numbers with a unit of us, ms, s, m, h or d")
}

/// The power of the unit that a suffix begins with: `k` 1 … `p` 5.
fn power(c: char) -> Option<u32> {
    "kmgtp".find(c.to_ascii_lowercase()).map(|i| i as u32 + 1)
}

/// What fio multiplies a number by that is followed by `rest`: it takes the unit
/// that `rest` begins with, and drops everything else.
pub(super) fn fio_multiplier(rest: &str, kb: u64) -> u64 {
    let lower = rest.to_ascii_lowercase();
    let kb = if lower.get(1..).is_some_and(|rest| rest.starts_with("ib")) { 2024 - kb } else { kb };
    lower.chars().next().and_then(power).map_or(1, |power| kb.pow(power))
}

/// How fio reads `n` followed by `rest`.
pub(super) fn fio_size(n: u64, rest: &str, kb: u64) -> String {
    let read = u128::from(n) * u128::from(fio_multiplier(rest, kb));
    let has_unit = rest.chars().next().and_then(power).is_some();
    counted(read, "byte") + if has_unit { "" } else { ", without unit" }
}

/// A size with a fraction, in a smaller unit that makes it whole: `1.5g` is
/// `1536m`.
pub(super) fn size_hint(text: &str, kb: u64) -> Option<String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let power = text[end..].trim().chars().next().and_then(power)?;
    let n = text[..end].parse::<f64>().ok()? * (kb as f64).powi(power as i32);
    let whole = n.fract() == 0.0 && n > 0.0 && n < 9e15;
    whole.then(|| format!("write {}", print::bytes(Bytes(n as u64), kb)))
}

/// Seconds in a unit as people write it.
fn unit_ns(word: &str) -> Option<f64> {
    Some(match word.trim().to_ascii_lowercase().as_str() {
        "us" | "usec" | "usecs" | "µs" => 1e3,
        "ms" | "msec" | "msecs" => 1e6,
        "" | "s" | "sec" | "secs" | "second" | "seconds" => 1e9,
        "m" | "min" | "mins" | "minute" | "minutes" => 60e9,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3600e9,
        "d" | "day" | "days" => 86_400e9,
        _ => return None,
    })
}

/// A time in words, with fractions or in several parts, as fio can read it:
/// `10sec` is `10s`, `1h30m` is `90m`.
fn time_hint(text: &str) -> Option<String> {
    let mut rest = text;
    let mut total = 0.0;
    while !rest.is_empty() {
        let number = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let unit = rest[number..].find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |i| number + i);
        total += rest[..number].parse::<f64>().ok()? * unit_ns(&rest[number..unit])?;
        rest = &rest[unit..];
    }
    let fits = (1e3..9e18).contains(&total);
    fits.then(|| format!("write {}", print::time(Nanos((total / 1e3).round() as u64 * 1000))))
}
