//! What was probably meant by a size or time that cannot be read exactly, and
//! what fio makes of it.

use super::print;
use crate::units::{Bytes, Nanos};
use fathom_text::words::counted;

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
pub(super) fn size(text: &str, kb: u64) -> Option<String> {
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
pub(super) fn time(text: &str) -> Option<String> {
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
