//! What a simulated hard disk is made of.

use super::check::allowed;
use crate::SimError;

/// A hard disk. Its write cache is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskModel {
    /// Capacity in bytes.
    pub capacity_bytes: u64,
    /// Turns a minute.
    pub turns_per_minute: u32,
    /// The shortest seek.
    pub seek_least_ns: u64,
    /// A seek over the share s of the stroke takes the shortest and √s of this.
    pub seek_stroke_ns: u64,
    /// Bytes a second at the outer edge.
    pub outer_bytes_per_s: u64,
    /// Bytes a second at the inner edge.
    pub inner_bytes_per_s: u64,
    /// Time of a command beyond seek, rotation and transfer.
    pub overhead_ns: u64,
    /// An I/O that has waited for longer goes first.
    pub age_limit_ns: u64,
}

/// 18 TB, 7,200 turns a minute. The seek curve is our choice; with it a disk reads 80 times a second at
/// random with one I/O in flight, and 157 times with 16. (Exos X18: 170 by its data sheet.)
pub fn disk() -> DiskModel {
    DiskModel {
        capacity_bytes: 18_000_000_000_000,
        turns_per_minute: 7200,
        seek_least_ns: 1_000_000,
        seek_stroke_ns: 13_300_000,
        outer_bytes_per_s: 270_000_000,
        inner_bytes_per_s: 130_000_000,
        overhead_ns: 200_000,
        age_limit_ns: 3_000_000_000,
    }
}

impl DiskModel {
    pub(crate) fn check(&self) -> Result<(), SimError> {
        let size = self.capacity_bytes;
        allowed("size", size, (1_000_000..=1_000_000_000_000_000).contains(&size), "1 MB to 1,000 TB")?;
        let turns = self.turns_per_minute;
        allowed("rpm", turns, (1000..=60_000).contains(&turns), "1000 to 60000")?;
        let rate_is_possible = |rate: u64| (1_000_000..=10_000_000_000).contains(&rate);
        for (key, rate) in [("outer", self.outer_bytes_per_s), ("inner", self.inner_bytes_per_s)] {
            allowed(key, rate, rate_is_possible(rate), "1 MB to 10 GB a second")?;
        }
        for (key, time_ns) in [
            ("seek", self.seek_least_ns),
            ("stroke", self.seek_stroke_ns),
            ("overhead", self.overhead_ns),
            ("age", self.age_limit_ns),
        ] {
            allowed(key, time_ns, time_ns <= 100_000_000_000, "at most 100 s")?;
        }
        if self.inner_bytes_per_s > self.outer_bytes_per_s {
            let text = "inner is faster than outer: tracks at the outer edge are longer".to_owned();
            return Err(SimError::Contradiction { text });
        }
        Ok(())
    }
}
