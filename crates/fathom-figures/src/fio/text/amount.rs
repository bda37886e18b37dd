//! Amounts as fio prints them for people: digits, a prefix and a unit, and how far they are rounded.

/// An amount, and by how much it may differ from what fio counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Amount {
    pub value: f64,
    /// What one of its last digit is worth.
    pub step: f64,
}

impl Amount {
    /// Is this what fio would print for an exact value?
    pub fn is_rounded_from(self, exact: f64) -> bool {
        (self.value - exact).abs() <= self.step
    }

    fn times(self, factor: f64) -> Amount {
        Amount { value: self.value * factor, step: self.step * factor }
    }
}

/// A count or a latency: `479075`, `15.2k`, `2888.6k`.
pub(super) fn count(text: &str) -> Option<Amount> {
    let (number, rest) = split(text)?;
    let factor = match rest {
        "" => 1.0,
        prefix => 1000_f64.powi(power(prefix)?),
    };
    Some(number.times(factor))
}

/// Bytes: `4096B`, `64.0KiB`, `8389kB`, `7018.6MB`, `4K`, and bits. A prefix without an i is worth a power of this base: 1000 in
/// texts of fio 3, and 1024 in those of fio 2.
pub(super) fn bytes(text: &str, base: f64) -> Option<Amount> {
    let (number, rest) = split(text)?;
    let (prefix, unit) = match (rest.strip_suffix("bit"), rest.strip_suffix('B')) {
        (Some(prefix), _) => (prefix, 1.0 / 8.0),
        (None, Some(prefix)) => (prefix, 1.0),
        (None, None) => (rest, 1.0),
    };
    let factor = match (prefix.strip_suffix('i'), prefix) {
        (_, "") => 1.0,
        (Some(prefix), _) => 1024_f64.powi(power(prefix)?),
        (None, prefix) => base.powi(power(prefix)?),
    };
    Some(number.times(factor * unit))
}

/// Bytes for each second: `239540KB/s`, `12.5GiB/s`, `1216Mibit/s`.
pub(super) fn rate(text: &str, base: f64) -> Option<Amount> {
    bytes(text.strip_suffix("/s")?, base)
}

/// A whole number without a prefix.
pub(super) fn whole(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// A plain number: `206.50`, `7.20%`. Infinity and what is not a number are none.
pub(super) fn plain(text: &str) -> Option<f64> {
    let text = text.trim();
    let text = text.strip_suffix('%').unwrap_or(text);
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// What a unit of time is worth, ns.
pub(super) fn time_unit_ns(unit: &str) -> Option<f64> {
    match unit.trim() {
        "nsec" | "ns" => Some(1.0),
        "usec" | "us" | "µs" | "μs" => Some(1e3),
        "msec" | "ms" => Some(1e6),
        "sec" | "s" => Some(1e9),
        _ => None,
    }
}

/// A length of time: `30001msec`, in ms.
pub(super) fn time_ms(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let ms = text[..end].parse::<u64>().ok()? as f64 * time_unit_ns(&text[end..])? / 1e6;
    Some(ms.round() as u64)
}

/// The digits, and what follows them.
fn split(text: &str) -> Option<(Amount, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-').unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let value: f64 = digits.parse().ok().filter(|value: &f64| value.is_finite())?;
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    Some((Amount { value, step: 10_f64.powi(-(decimals.min(300) as i32)) }, rest.trim()))
}

/// Of a prefix: 1 for kilo, 2 for mega.
fn power(prefix: &str) -> Option<i32> {
    let place = ["k", "m", "g", "t", "p", "e"].iter().position(|known| prefix.eq_ignore_ascii_case(known))?;
    Some(place as i32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_that_fio_prints() {
        const MIB: f64 = 1048576.0;
        for (text, base, expected) in [
            ("4096B", 1000.0, Some(4096.0)),
            ("64.0KiB", 1000.0, Some(65536.0)),
            ("119MiB", 1000.0, Some(119.0 * MIB)),
            ("1.5TiB", 1000.0, Some(1.5 * MIB * MIB)),
            ("8389kB", 1000.0, Some(8_389_000.0)),
            ("82.3MB", 1000.0, Some(82_300_000.0)),
            ("7018.6MB", 1024.0, Some(7018.6 * MIB)),
            ("4K", 1024.0, Some(4096.0)),
            ("512", 1024.0, Some(512.0)),
            ("0", 1024.0, Some(0.0)),
            ("8Mibit", 1000.0, Some(MIB)),
            ("8Mbit", 1000.0, Some(1e6)),
            ("12XB", 1000.0, None),
            ("KiB", 1000.0, None),
        ] {
            assert_eq!(bytes(text, base).map(|amount| amount.value), expected, "{text}");
        }
        assert_eq!(rate("239540KB/s", 1024.0).unwrap().value, 239_540.0 * 1024.0);
        assert_eq!(rate("239540KB", 1024.0), None, "a rate that is cut is none");
        assert_eq!(count("15.2k").unwrap(), Amount { value: 15_200.0, step: 100.0 });
        assert_eq!(count("2888.6k").unwrap().value, 2_888_600.0);
        assert_eq!((count("1,5"), plain("inf"), plain("nan"), plain("7.20%")), (None, None, None, Some(7.2)));
        assert_eq!(
            (time_ms(" 30001msec"), time_ms("30001"), time_ms("2sec")),
            (Some(30_001), None, Some(2_000))
        );
    }
}
