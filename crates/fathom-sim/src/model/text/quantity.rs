//! Sizes, times and percentages as people write them.

/// Digits with an optional fraction, times what the suffix means; `None` if it is no such thing or too large.
fn scaled(text: &str, suffixes: &[(&str, u64)]) -> Option<u64> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, suffix) = text.split_at(split);
    let factor = suffixes.iter().find(|(known, _)| known.eq_ignore_ascii_case(suffix))?.1;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let whole = whole.parse::<u64>().ok()?.checked_mul(factor)?;
    if fraction.is_empty() {
        return (!number.ends_with('.')).then_some(whole);
    }
    if fraction.len() > 9 {
        return None;
    }
    let tens = 10_u128.pow(fraction.len() as u32);
    let part = u128::from(fraction.parse::<u64>().ok()?) * u128::from(factor) / tens;
    whole.checked_add(part as u64)
}

/// Bytes, or bytes a second.
pub(super) fn bytes(text: &str) -> Option<u64> {
    let suffixes = [
        ("", 1),
        ("k", 1 << 10),
        ("m", 1 << 20),
        ("g", 1 << 30),
        ("t", 1 << 40),
        ("kib", 1 << 10),
        ("mib", 1 << 20),
        ("gib", 1 << 30),
        ("tib", 1 << 40),
        ("kb", 1000),
        ("mb", 1_000_000),
        ("gb", 1_000_000_000),
        ("tb", 1_000_000_000_000),
    ];
    scaled(text, &suffixes)
}

/// Nanoseconds; a number without a unit is refused, because it could mean several.
pub(super) fn time_ns(text: &str) -> Option<u64> {
    scaled(text, &[("ns", 1), ("us", 1000), ("µs", 1000), ("ms", 1_000_000), ("s", 1_000_000_000)])
}

/// A finite number.
pub(super) fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// `7` or `7%`.
pub(super) fn percent(text: &str) -> Option<f64> {
    number(text.strip_suffix('%').unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_read() {
        let cases = [
            ("0", Some(0)),
            ("4k", Some(4096)),
            ("4KiB", Some(4096)),
            ("4kB", Some(4000)),
            ("1.92TB", Some(1_920_000_000_000)),
        ];
        for (text, expected) in cases {
            assert_eq!(bytes(text), expected, "{text}");
        }
        for text in ["", "k", "-1", "1.", "1e3", "4 k", "1.5.2k", "99999999t", "1.0123456789k", ".5k"] {
            assert_eq!(bytes(text), None, "{text}");
        }
        assert_eq!(time_ns("1.5ms"), Some(1_500_000));
        assert_eq!(time_ns("70us"), Some(70_000));
        assert_eq!(time_ns("70"), None);
        assert_eq!((percent("7"), percent("7.5%"), percent("nan")), (Some(7.0), Some(7.5), None));
    }
}
