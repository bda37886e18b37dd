//! The one writer of quantities for a person: a value with its unit, in as many digits as suit where it stands. fio's own outputs
//! have their own, because programs read them.
//!
//! A sentence has three digits, because a measurement is not more precise, and the unit that fits each value. A column has one unit for
//! all its values ([`TimeUnit`]).

use crate::number::{cell, prefixed, significant, three, trimmed};

/// A number of I/Os per second, without the word: `51.2k`.
pub fn iops(per_second: f64) -> String {
    // A window of seconds without I/O that begins a microsecond late has a trace of one with I/O.
    if per_second < 0.005 {
        return "0".to_owned();
    }
    prefixed(per_second, "")
}

/// A rate of I/Os: `51.2k IOPS`.
pub fn rate(per_second: f64) -> String {
    iops(per_second) + " IOPS"
}

/// An amount of data that was measured, decimal as drives are sold: `2.10 GB`.
pub fn bytes(n: f64) -> String {
    if n < 1e3 {
        return format!("{n:.0} B");
    }
    prefixed(n, " ") + "B"
}

/// A bandwidth: `2.10 GB/s`.
pub fn bandwidth(bytes_per_second: f64) -> String {
    bytes(bytes_per_second) + "/s"
}

/// A bandwidth in whole MB/s, as the tables of buses have it: `7877 MB/s`.
pub fn megabytes(megabytes_per_second: f64) -> String {
    format!("{megabytes_per_second:.0} MB/s")
}

/// A size that somebody chose, in powers of two: `4 KiB`, `1.5 MiB`.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let power = (bytes.ilog2() / 10) as usize;
    let scaled = bytes as f64 / (1u64 << (10 * power)) as f64;
    format!("{} {}", trimmed(scaled, 2), UNITS[power - 1])
}

/// A time that somebody chose: `1.5 µs`, `30 s`, `10 min`.
pub fn time(ns: u64) -> String {
    let (unit, symbol) = match ns {
        0..1_000 => (1.0, "ns"),
        1_000..1_000_000 => (1e3, "µs"),
        1_000_000..1_000_000_000 => (1e6, "ms"),
        1_000_000_000..120_000_000_000 => (1e9, "s"),
        120_000_000_000..7_200_000_000_000 => (60e9, "min"),
        _ => (3600e9, "h"),
    };
    format!("{} {symbol}", trimmed(ns as f64 / unit, 2))
}

/// A time that was measured, in two or three digits: `17 ms`, `9.3 s`, `60 s`.
pub fn rounded_time(ns: u64) -> String {
    const SECOND: u64 = 1_000_000_000;
    let step = match ns {
        ns if ns >= 10 * SECOND => SECOND,
        ns if ns >= SECOND * 95 / 100 => SECOND / 10,
        ns => 10_u64.pow(ns.max(1).ilog10().saturating_sub(1)),
    };
    time((ns + step / 2) / step * step)
}

/// A time for people who wait: `40 s`, `1 min 20 s`, `2 h 5 min`.
pub fn waiting(ns: u64) -> String {
    let (whole, unit, rest, smaller) = match ns.div_ceil(1_000_000_000) {
        seconds @ 0..60 => (seconds, "s", 0, ""),
        seconds @ 60..3600 => (seconds / 60, "min", seconds % 60, "s"),
        seconds => (seconds / 3600, "h", seconds % 3600 / 60, "min"),
    };
    if rest == 0 { format!("{whole} {unit}") } else { format!("{whole} {unit} {rest} {smaller}") }
}

/// Seconds with so many digits behind the point: `12.5 s`.
pub fn seconds(seconds: f64, decimals: usize) -> String {
    format!("{seconds:.decimals$} s")
}

/// A latency: `93.4 µs`.
pub fn latency(ns: f64) -> String {
    if ns == 0.0 {
        return "0 ns".to_owned();
    }
    let units = [TimeUnit::S, TimeUnit::Ms, TimeUnit::Us];
    // 999.6 ns are 1.00 µs.
    let unit = units.into_iter().find(|unit| ns >= 0.9995 * unit.ns()).unwrap_or(TimeUnit::Ns);
    format!("{} {}", three(ns / unit.ns()), unit.symbol())
}

/// A share as percent: `97 %`, `0.4 %`.
pub fn percent(share: f64) -> String {
    percent_with(share, usize::from(100.0 * share < 9.95))
}

/// A share as percent with so many digits behind the point: `97.42 %`.
pub fn percent_with(share: f64, decimals: usize) -> String {
    format!("{:.decimals$} %", 100.0 * share)
}

/// A part in percent of the whole, so that nothing that is there reads as zero: `<0.01 %`.
pub fn percent_of(part: f64, whole: f64) -> String {
    if whole <= 0.0 {
        return "- %".to_owned();
    }
    match part / whole {
        share if share > 0.0 && share < 0.0001 => "<0.01 %".to_owned(),
        share => percent_with(share, if share < 0.01 { 2 } else { 1 }),
    }
}

/// A half of an interval, given as a share, in percent without the sign. One of more than the rate itself says only that the windows are
/// too different for a mean, so it is `over` 100.
pub fn half_percent(half: f64, over: &str) -> String {
    if half > 1.0 { format!("{over}100") } else { significant(100.0 * half, 2) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit() {
        let rates = [
            (0.0, "0"),
            (0.004, "0"),
            (0.5, "0.50"),
            (7.25, "7.25"),
            (99.97, "100"),
            (312.4, "312"),
            (999.7, "1.00k"),
            (51_234.0, "51.2k"),
            (1.84e6, "1.84M"),
        ];
        for (x, text) in rates {
            assert_eq!(iops(x), text);
        }
        let amounts = [(0.0, "0 B"), (512.0, "512 B"), (2.1e9, "2.10 GB"), (999_600.0, "1.00 MB")];
        for (n, text) in amounts {
            assert_eq!(bytes(n), text);
        }
        assert_eq!((bandwidth(2.1e9), bandwidth(125e6)), ("2.10 GB/s".into(), "125 MB/s".into()));
        let times = [
            (0.0, "0 ns"),
            (161.0, "161 ns"),
            (999.6, "1.00 µs"),
            (93_420.0, "93.4 µs"),
            (4.2e6, "4.20 ms"),
            (25e6, "25.0 ms"),
            (3e9, "3.00 s"),
        ];
        for (ns, text) in times {
            assert_eq!(latency(ns), text);
        }
    }

    #[test]
    fn chosen_sizes_and_times_keep_their_digits() {
        let sizes =
            [(512, "512 B"), (4096, "4 KiB"), (1536, "1.5 KiB"), (1 << 40, "1 TiB"), (u64::MAX, "16 EiB")];
        for (n, text) in sizes {
            assert_eq!(size(n), text);
        }
        let times = [
            (999, "999 ns"),
            (1_500, "1.5 µs"),
            (2_000_000, "2 ms"),
            (30_000_000_000, "30 s"),
            (600_000_000_000, "10 min"),
        ];
        for (ns, text) in times {
            assert_eq!(time(ns), text);
        }
    }

    #[test]
    fn a_measured_time_has_as_many_digits_as_matter() {
        let times = [
            (0, "0 ns"),
            (17_132_000, "17 ms"),
            (951_000_000, "1 s"),
            (9_340_000_000, "9.3 s"),
            (60_200_000_000, "60 s"),
        ];
        for (ns, text) in times {
            assert_eq!(rounded_time(ns), text);
        }
    }

    #[test]
    fn who_waits_reads_two_units_at_most() {
        let waits = [(0, "0 s"), (40_000, "40 s"), (59_001, "1 min"), (80_000, "1 min 20 s")];
        for (ms, text) in waits {
            assert_eq!(waiting(ms * 1_000_000), text);
        }
        assert_eq!(waiting(7_500_000_000_000), "2 h 5 min");
    }

    #[test]
    fn shares() {
        assert_eq!((percent(0.974), percent(0.004)), ("97 %".into(), "0.4 %".into()));
        let parts = [(1.0, 1e9), (1.0, 3.0), (1.0, 300.0), (0.0, 0.0)];
        assert_eq!(parts.map(|(part, all)| percent_of(part, all)), ["<0.01 %", "33.3 %", "0.33 %", "- %"]);
    }

    #[test]
    fn a_half_of_more_than_the_rate_is_no_number() {
        assert_eq!([0.021, 1.0].map(|half| half_percent(half, ">")), ["2.1", "100"]);
        let over = [half_percent(3.93, ">"), half_percent(3.93, "over ")];
        assert_eq!(over, [">100", "over 100"]);
    }
}
