//! The digits of a number, as a person reads them: how many, in groups of three, with a prefix. [`quantity`](crate::quantity) writes
//! values with their unit.

/// A whole number in groups of three: `10,526,416`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The whole number nearest to `x`, which is 0 at least, in groups of three.
pub fn whole(x: f64) -> String {
    grouped(x.round() as u64)
}

/// Three significant digits, or more if the whole part is longer, and two at most behind the point: as exact as a sentence about a
/// measurement needs.
pub fn three(x: f64) -> String {
    let digits = match x.abs() {
        x if x >= 99.95 => 0,
        x if x >= 9.995 => 1,
        _ => 2,
    };
    format!("{x:.digits$}")
}

/// `x` with at least `figures` significant digits; a dash if it is infinite or not a number. Digits before the point are never dropped: a latency of
/// 13505 µs stays 13505.
pub fn significant(x: f64, figures: usize) -> String {
    if !x.is_finite() {
        return "-".to_owned();
    }
    if x == 0.0 {
        return "0".to_owned();
    }
    let magnitude = x.abs().log10().floor() as i64;
    let decimals = (figures as i64 - 1 - magnitude).clamp(0, 9) as usize;
    let text = format!("{x:.decimals$}");
    // Rounding may carry into a new digit: 9.9996 with four figures is 10.000.
    let rounded: f64 = text.parse().unwrap_or(x);
    match rounded.abs().log10().floor() as i64 > magnitude && decimals > 0 {
        true => format!("{rounded:.*}", decimals - 1),
        false => text,
    }
}

/// At most so many digits behind the point, and no zeros at the end: `4`, `1.5`, `931.32`.
pub fn trimmed(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$}");
    if decimals == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// A figure in a column: three digits, or all digits of a whole number in groups of three.
pub fn cell(x: f64) -> String {
    if x < 999.5 { significant(x.max(0.0), 3) } else { whole(x) }
}

/// A value in the report of a standard or a suite: four digits, a whole number as it is, and all digits in groups of three from 1,000
/// on.
pub fn reported(x: f64) -> String {
    let text = match x.abs() {
        size if size >= 999.95 => whole(size),
        size if size.fract() == 0.0 => size.to_string(),
        size => significant(size, 4),
    };
    if x < 0.0 { format!("−{text}") } else { text }
}

/// The prefixes of a number in powers of ten.
const PREFIXES: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];

/// `x` with three digits and a prefix after `space`: `312`, `51.2k`, `1.84M`.
pub(crate) fn prefixed(x: f64, space: &str) -> String {
    // 999.6 rounds to 1000, which is 1.00 with the next prefix.
    match PREFIXES.into_iter().find(|(unit, _)| x >= 0.9995 * unit) {
        Some((unit, prefix)) => format!("{}{space}{prefix}", three(x / unit)),
        None => format!("{}{space}", three(x)),
    }
}

/// `x` with so many significant digits and a prefix: `350.7k`, `1.839M`. A whole number below 10,000 needs none.
pub fn compact(x: f64, figures: usize) -> String {
    if x.fract() == 0.0 && x.abs() < 1e4 {
        return format!("{x}");
    }
    match PREFIXES.into_iter().find(|(unit, _)| x.abs() >= *unit) {
        Some((unit, prefix)) => format!("{}{prefix}", significant(x / unit, figures)),
        None => significant(x, figures),
    }
}

/// How many times: `39.3×`.
pub fn multiple(times: f64) -> String {
    format!("{}×", cell(times))
}

/// From twice on, a factor is easier to read than per cent.
const FACTOR_FROM: f64 = 2.0;

/// How a value changed, from its ratio to the old one: `+9.7 %`, `−3.0 %`, `18.0 ×`.
pub fn change(ratio: f64) -> String {
    match ratio {
        r if r >= FACTOR_FROM => format!("{} ×", factor(r)),
        r if r >= 1.0 => format!("+{} %", per_cent(r - 1.0)),
        // What is left is not nothing.
        r if r > 0.0 && r < 0.001 => "−99.9 % and more".to_owned(),
        r => format!("−{} %", per_cent(1.0 - r)),
    }
}

/// The interval of a change: `+8.1 to +11.9 %`, `16.9 to 19.2 ×`.
pub fn change_interval((low, high): (f64, f64)) -> String {
    let signed = |r: f64| format!("{}{}", if r >= 1.0 { "+" } else { "−" }, per_cent((r - 1.0).abs()));
    match low >= FACTOR_FROM || high >= 2.0 * FACTOR_FROM {
        true => format!("{} to {} ×", factor(low), factor(high)),
        false => format!("{} to {} %", signed(low), signed(high)),
    }
}

fn factor(ratio: f64) -> String {
    if ratio < 999.5 { three(ratio) } else { whole(ratio) }
}

fn per_cent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        p if p >= 99.95 => format!("{p:.0}"),
        p if p >= 0.095 || p == 0.0 => format!("{p:.1}"),
        p => format!("{p:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_read_at_once() {
        let told = [1.0972, 0.97, 18.0, 1.0, 0.4, 1.0004, 1.999].map(change);
        assert_eq!(told, ["+9.7 %", "−3.0 %", "18.0 ×", "+0.0 %", "−60.0 %", "+0.04 %", "+99.9 %"]);
        assert_eq!([0.002, 0.0001, 0.0].map(change), ["−99.8 %", "−99.9 % and more", "−100 %"]);
        assert_eq!(change_interval((0.98, 1.031)), "−2.0 to +3.1 %");
        assert_eq!(change_interval((16.9, 19.2)), "16.9 to 19.2 ×");
        assert_eq!([39.26, 115_704.2].map(multiple), ["39.3×", "115,704×"]);
    }

    #[test]
    fn thousands_stand_in_groups() {
        for (n, text) in [(0, "0"), (999, "999"), (9_984, "9,984"), (10_526_416, "10,526,416")] {
            assert_eq!(grouped(n), text);
        }
    }

    #[test]
    fn significant_digits_are_kept_and_none_before_the_point_are_lost() {
        let cases = [
            (0.0, "0"),
            (13505.4, "13505"),
            (344.26, "344.3"),
            (93.401, "93.40"),
            (1.0, "1.000"),
            (0.0123454, "0.01235"),
            (9.99996, "10.00"),
            (999.96, "1000"),
            (f64::NAN, "-"),
        ];
        for (x, text) in cases {
            assert_eq!(significant(x, 4), text, "{x}");
        }
        assert_eq!([4.0, 1.5, 931.323, 0.004].map(|x| trimmed(x, 2)), ["4", "1.5", "931.32", "0"]);
        assert_eq!(trimmed(120.0, 0), "120");
    }

    #[test]
    fn figures_of_a_report_have_four_digits_and_large_ones_are_whole() {
        let all = [145_700.4, 999.96, 12.345_67, 0.001_234_5, 0.0, 32.0, -3.25, -14_000.0].map(reported);
        let text = ["145,700", "1,000", "12.35", "0.001234", "0", "32", "−3.250", "−14,000"];
        assert_eq!(all, text);
    }

    #[test]
    fn prefixes() {
        for (x, text) in [(0.5, "0.50"), (7.25, "7.25"), (99.97, "100"), (999.7, "1.00k"), (1.84e6, "1.84M")]
        {
            assert_eq!(prefixed(x, ""), text);
        }
        let cases = [
            (7.0, "7"),
            (950.5, "950.5"),
            (5200.0, "5200"),
            (350_728.0, "350.7k"),
            (1_838_553.0, "1.839M"),
            (2e9, "2.000G"),
        ];
        for (x, text) in cases {
            assert_eq!(compact(x, 4), text);
        }
    }
}
