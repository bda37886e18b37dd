//! Numbers for people: significant figures, thousands, units of time.

use fathom_results::mean_of_enough;
use fathom_stats::Moments;
pub use fathom_text::number::grouped;

/// `x` with at least `figures` significant digits. Digits before the point are
/// never dropped: a latency of 13505 µs stays 13505.
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

/// `x` with `figures` digits and a decimal prefix: 350.7k, 1.839M.
pub fn compact(x: f64, figures: usize) -> String {
    const PREFIXES: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    // A count below the first prefix that fits its digits needs none.
    if x.abs() < 1e3 || (x.fract() == 0.0 && x.abs() < 1e4) {
        return if x.fract() == 0.0 { format!("{x}") } else { significant(x, figures) };
    }
    let (unit, prefix) = PREFIXES.into_iter().find(|(unit, _)| x.abs() >= *unit).unwrap_or((1e3, "k"));
    format!("{}{prefix}", significant(x / unit, figures))
}

/// A share in percent, so that nothing seen reads as zero: `<0.01 %`.
pub fn percent(part: f64, whole: f64) -> String {
    if whole <= 0.0 {
        return "- %".to_owned();
    }
    let share = 100.0 * part / whole;
    match share {
        s if s > 0.0 && s < 0.01 => "<0.01 %".to_owned(),
        s if s < 1.0 => format!("{s:.2} %"),
        s => format!("{s:.1} %"),
    }
}

/// A number in a table: three digits, or all digits of a whole number in groups of three.
pub fn cell(value: f64) -> String {
    if value < 999.5 { significant(value.max(0.0), 3) } else { grouped(value.round() as u64) }
}

/// The maximum as a multiple of the mean: `39.3×` (T-26); a dash where there is no mean, or too few values for one.
pub fn max_over_mean(moments: &Moments) -> String {
    let mean = mean_of_enough(moments).filter(|mean| *mean > 0.0);
    mean.zip(moments.max()).map_or("-".to_owned(), |(mean, max)| multiple(max as f64 / mean))
}

/// How many times: `39.3×`.
pub fn multiple(times: f64) -> String {
    format!("{}×", cell(times))
}

/// One unit for a whole table of latencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
}

impl TimeUnit {
    /// The unit in which a typical value, in nanoseconds, has at least two
    /// digits before the point where a smaller unit would have five.
    pub fn for_typical(ns: f64) -> Self {
        match ns {
            n if n < 2e3 => TimeUnit::Ns,
            n if n < 2e7 => TimeUnit::Us,
            n if n < 2e10 => TimeUnit::Ms,
            _ => TimeUnit::S,
        }
    }

    /// The unit in which the fastest of these means, ns, has digits before the point: that of all
    /// latencies of a table.
    pub fn for_fastest(means_ns: impl Iterator<Item = f64>) -> Self {
        match means_ns.reduce(f64::min) {
            Some(ns) if ns < 1e3 => TimeUnit::Ns,
            Some(ns) if ns >= 1e9 => TimeUnit::S,
            Some(ns) if ns >= 1e6 => TimeUnit::Ms,
            _ => TimeUnit::Us,
        }
    }

    /// Nanoseconds as a number of this unit in a table: three digits, or all digits of a whole number
    /// in groups of three.
    pub fn cell(self, ns: f64) -> String {
        cell(ns / self.ns())
    }

    /// Its symbol.
    pub const fn symbol(self) -> &'static str {
        match self {
            TimeUnit::Ns => "ns",
            TimeUnit::Us => "µs",
            TimeUnit::Ms => "ms",
            TimeUnit::S => "s",
        }
    }

    /// Nanoseconds as a number of this unit, without its symbol.
    pub fn number(self, ns: f64, figures: usize) -> String {
        significant(ns / self.ns(), figures)
    }

    /// Nanoseconds in one.
    pub const fn ns(self) -> f64 {
        match self {
            TimeUnit::Ns => 1.0,
            TimeUnit::Us => 1e3,
            TimeUnit::Ms => 1e6,
            TimeUnit::S => 1e9,
        }
    }
}

/// A latency with the unit that suits it: `93.4 µs`.
pub fn latency(ns: f64, figures: usize) -> String {
    let unit = TimeUnit::for_typical(ns);
    format!("{} {}", unit.number(ns, figures), unit.symbol())
}

/// A half of an interval, given as a share, in percent. One of more than the rate itself says only that the windows are too different
/// for a mean, so it is `over` 100.
pub(crate) fn half_percent(half: f64, over: &str) -> String {
    if half > 1.0 { format!("{over}100") } else { significant(100.0 * half, 2) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_of_more_than_the_rate_is_no_number() {
        assert_eq!([0.021, 1.0].map(|half| half_percent(half, ">")), ["2.1", "100"]);
        assert_eq!(
            (half_percent(3.93, ">"), half_percent(3.93, "over ")),
            (">100".to_owned(), "over 100".to_owned())
        );
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
    }

    #[test]
    fn prefixes() {
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

    #[test]
    fn percents() {
        assert_eq!(
            (percent(1.0, 1e9), percent(1.0, 3.0), percent(0.0, 0.0)),
            ("<0.01 %".into(), "33.3 %".into(), "- %".into())
        );
    }

    /// T-26: 13,505 µs are 39.3 times the mean of 344 µs, and not 14 times.
    #[test]
    fn the_maximum_is_a_multiple_of_the_mean() {
        let mut moments = Moments::new();
        assert_eq!(max_over_mean(&moments), "-");
        // A mean of 344 µs with this maximum.
        moments.record_n(330_839, 999);
        moments.record(13_505_000);
        assert_eq!(max_over_mean(&moments), "39.3×");
        assert_eq!(multiple(115_704.2), "115,704×");
    }

    #[test]
    fn a_latency_has_its_unit() {
        let cases = [(161.0, "161.0 ns"), (93_401.0, "93.40 µs"), (25e6, "25.00 ms"), (3e10, "30.00 s")];
        for (ns, text) in cases {
            assert_eq!(latency(ns, 4), text);
        }
    }
}
