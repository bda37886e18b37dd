//! Numbers in a readable form: groups of three digits, three significant digits, a prefix.

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

/// Three significant digits, or more if the whole part is longer.
pub fn three(x: f64) -> String {
    let digits = match x.abs() {
        x if x >= 99.95 => 0,
        x if x >= 9.995 => 1,
        _ => 2,
    };
    format!("{x:.digits$}")
}

/// `x` with three digits and a decimal prefix after `space`: `312`, `51.2k`,
/// `1.84M`.
pub fn prefixed(x: f64, space: &str) -> String {
    const PREFIXES: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    // 999.6 rounds to 1000, which is 1.00 with the next prefix.
    match PREFIXES.into_iter().find(|(unit, _)| x >= 0.9995 * unit) {
        Some((unit, prefix)) => format!("{}{space}{prefix}", three(x / unit)),
        None => format!("{}{space}", three(x)),
    }
}

/// An amount of data, decimal as drives are sold: `2.10 GB`.
pub fn bytes(n: f64) -> String {
    if n < 1e3 {
        return format!("{n:.0} B");
    }
    prefixed(n, " ") + "B"
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
    if ratio < 999.5 { three(ratio) } else { grouped(ratio.round() as u64) }
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
    }

    #[test]
    fn thousands_stand_in_groups() {
        for (n, text) in [(0, "0"), (999, "999"), (9_984, "9,984"), (10_526_416, "10,526,416")] {
            assert_eq!(grouped(n), text);
        }
    }

    #[test]
    fn three_digits_and_a_prefix() {
        for (x, text) in [(0.5, "0.50"), (7.25, "7.25"), (99.97, "100"), (999.7, "1.00k"), (1.84e6, "1.84M")]
        {
            assert_eq!(prefixed(x, ""), text);
        }
        for (n, text) in [(0.0, "0 B"), (512.0, "512 B"), (2.1e9, "2.10 GB"), (999_600.0, "1.00 MB")] {
            assert_eq!(bytes(n), text);
        }
    }
}
