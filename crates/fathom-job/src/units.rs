//! Quantities with their unit in the type: [`Bytes`], [`Nanos`].
//!
//! Sizes print in IEC units and times in the largest unit that keeps them
//! readable; nothing in fathom prints a bare number of either.

use fathom_text::quantity;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A count of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// A span of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
        f.write_str(&quantity::size(self.0))
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quantity::time(self.0))
    }
}
