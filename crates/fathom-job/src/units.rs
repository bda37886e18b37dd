//! Quantities with their unit in the type: [`Bytes`], [`Nanos`].
//!
//! Sizes print in IEC units and times in the largest unit that keeps them
//! readable; nothing in fathom prints a bare number of either.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A count of bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// A span of time in nanoseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Nanos(pub u64);

impl Bytes {
    /// `n` KiB (1,024 bytes each).
    pub const fn kib(n: u64) -> Self {
        Bytes(n << 10)
    }

    /// `n` MiB.
    pub const fn mib(n: u64) -> Self {
        Bytes(n << 20)
    }

    /// `n` GiB.
    pub const fn gib(n: u64) -> Self {
        Bytes(n << 30)
    }
}

impl Nanos {
    /// `n` microseconds.
    pub const fn micros(n: u64) -> Self {
        Nanos(n.saturating_mul(1_000))
    }

    /// `n` milliseconds.
    pub const fn millis(n: u64) -> Self {
        Nanos(n.saturating_mul(1_000_000))
    }

    /// `n` seconds.
    pub const fn secs(n: u64) -> Self {
        Nanos(n.saturating_mul(1_000_000_000))
    }

    /// The span in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        if self.0 < 1024 {
            return write!(f, "{} B", self.0);
        }
        let power = (self.0.ilog2() / 10) as usize;
        let scaled = self.0 as f64 / (1u64 << (10 * power)) as f64;
        write!(f, "{} {}", short(scaled), UNITS[power - 1])
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.0 as f64;
        match self.0 {
            0..1_000 => write!(f, "{} ns", self.0),
            1_000..1_000_000 => write!(f, "{} µs", short(ns / 1e3)),
            1_000_000..1_000_000_000 => write!(f, "{} ms", short(ns / 1e6)),
            1_000_000_000..120_000_000_000 => write!(f, "{} s", short(ns / 1e9)),
            120_000_000_000..7_200_000_000_000 => write!(f, "{} min", short(ns / 60e9)),
            _ => write!(f, "{} h", short(ns / 3600e9)),
        }
    }
}

/// Up to two decimals, without trailing zeros: `4`, `1.5`, `931.32`.
fn short(x: f64) -> String {
    let text = format!("{x:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_print_with_their_unit() {
        let sizes =
            [(512, "512 B"), (4096, "4 KiB"), (1536, "1.5 KiB"), (1 << 40, "1 TiB"), (u64::MAX, "16 EiB")];
        for (n, text) in sizes {
            assert_eq!(Bytes(n).to_string(), text);
        }
        let times = [
            (999, "999 ns"),
            (1_500, "1.5 µs"),
            (2_000_000, "2 ms"),
            (30_000_000_000, "30 s"),
            (600_000_000_000, "10 min"),
        ];
        for (n, text) in times {
            assert_eq!(Nanos(n).to_string(), text);
        }
    }
}
