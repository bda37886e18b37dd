//! Quantities as a verdict shows them: three digits and a unit, because the measurement is not more
//! precise.

pub use crate::number::{bytes, grouped};
use crate::number::{prefixed, three};

/// A number of I/Os per second: `51.2k`.
pub fn iops(per_second: f64) -> String {
    // A window of seconds without I/O that begins a microsecond late has a trace of one with I/O.
    if per_second < 0.005 {
        return "0".to_owned();
    }
    prefixed(per_second, "")
}

/// A bandwidth: `2.10 GB/s`.
pub fn bandwidth(bytes_per_second: f64) -> String {
    bytes(bytes_per_second) + "/s"
}

/// A latency: `93.4 µs`.
pub fn latency(ns: f64) -> String {
    let (unit, symbol) = match ns {
        n if n < 999.5 => (1.0, "ns"),
        n if n < 999.5e3 => (1e3, "µs"),
        n if n < 999.5e6 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    format!("{} {symbol}", three(ns / unit))
}

/// A share as percent: `97 %`, `0.4 %`.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let digits = usize::from(percent < 9.95);
    format!("{percent:.digits$} %")
}

const LISTED_MAX: usize = 3;

/// `a; b; c; and 4 more`.
pub fn listed(items: &[String]) -> String {
    // The item itself takes as little room as the words `and 1 more`.
    if items.len() <= LISTED_MAX + 1 {
        return items.join("; ");
    }
    format!("{}; and {} more", items[..LISTED_MAX].join("; "), items.len() - LISTED_MAX)
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
        assert_eq!((bandwidth(2.1e9), bandwidth(125e6)), ("2.10 GB/s".into(), "125 MB/s".into()));
        let times = [(161.0, "161 ns"), (93_420.0, "93.4 µs"), (4.2e6, "4.20 ms"), (3e9, "3.00 s")];
        for (ns, text) in times {
            assert_eq!(latency(ns), text);
        }
    }

    #[test]
    fn shares() {
        assert_eq!((percent(0.974), percent(0.004)), ("97 %".into(), "0.4 %".into()));
    }

    #[test]
    fn long_lists_are_cut() {
        let items: Vec<String> = ["a", "b", "c", "d", "e"].map(String::from).to_vec();
        assert_eq!(listed(&items[..2]), "a; b");
        assert_eq!(listed(&items), "a; b; c; and 2 more");
    }
}
