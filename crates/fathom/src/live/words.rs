//! Quantities and times in the words of the view.

use fathom_job::units::Nanos;
use fathom_text::number::{bytes, prefixed, three};

/// `52.1k IOPS`.
pub fn iops(per_second: f64) -> String {
    format!("{} IOPS", rate(per_second))
}

/// `52.1k`.
pub fn rate(per_second: f64) -> String {
    // Less than one I/O in 100 s is the trace of a window that began late.
    if per_second < 0.01 { "0".to_owned() } else { prefixed(per_second, "") }
}

/// `213 MB/s`.
pub fn bandwidth(bytes_per_second: f64) -> String {
    bytes(bytes_per_second) + "/s"
}

/// `93.4 µs`.
pub fn latency(ns: u64) -> String {
    let ns = ns as f64;
    let (unit, symbol) = match ns {
        n if n < 999.5 => return format!("{ns:.0} ns"),
        n if n < 999.5e3 => (1e3, "µs"),
        n if n < 999.5e6 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    format!("{} {symbol}", three(ns / unit))
}

/// A time for people who wait: `40 s`, `1 min 20 s`, `2 h 5 min`.
pub fn time(time: Nanos) -> String {
    match time.0.div_ceil(1_000_000_000) {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_two_units_at_most() {
        let told = |ms: u64| time(Nanos(ms * 1_000_000));
        assert_eq!([0, 40_000, 59_001, 80_000].map(told), ["0 s", "40 s", "1 min 0 s", "1 min 20 s"]);
        assert_eq!(told(7_500_000), "2 h 5 min");
        assert_eq!([93, 93_400, 999_600].map(latency), ["93 ns", "93.4 µs", "1.00 ms"]);
        assert_eq!((rate(0.001), rate(52_140.0)), ("0".to_owned(), "52.1k".to_owned()));
    }
}
