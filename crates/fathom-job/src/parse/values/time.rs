//! Spans of time: `30`, `30s`, `500ms`, `2h`, `(2*60s)`.
//!
//! A bare number counts seconds in some options and microseconds in others;
//! inside parentheses it always counts microseconds.

use super::size::{self, Number};
use super::{BadValue, Piece, Units, calc, hints};
use crate::units::Nanos;
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
        return Err(BadValue::new("out-of-range", "a time cannot be negative").at(piece));
    }
    let Number { n, rest: suffix, is_hex } = size::digits(piece, "bad-time")?;
    if is_hex && !units.drops_rest {
        let message = format!("`{}`: fio would read {}", piece.text, counted(n, "microsecond"));
        return Err(BadValue::new("truncated-value", message)
            .at(piece)
            .hint("write the time as a decimal number"));
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
    BadValue::new("out-of-range", format!("`{}` is longer than 584 years", piece.text)).at(piece)
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
    BadValue::new("truncated-value", format!("`{}` is not a time: fio would read {fio}", piece.text))
        .at(suffix)
        .hint_if(hints::time(piece.text))
        .hint("whole numbers with a unit of us, ms, s, m, h or d")
}
