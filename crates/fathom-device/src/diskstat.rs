//! The kernel's own count of a disk's I/O (`/sys/block/X/stat`, Documentation/block/stat.rst). The
//! counts of a run are checked against it.

use serde::{Deserialize, Serialize};

use crate::device::{DevNumber, Graph};
use crate::root::{Root, Unknown};

/// Counters since boot. A sector is 512 bytes, independent of the disk's own size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiskCounters {
    /// Reads completed.
    pub reads: u64,
    /// Reads merged into a queued one.
    pub read_merges: u64,
    /// Sectors read.
    pub read_sectors: u64,
    /// Milliseconds that reads waited, summed.
    pub read_wait_ms: u64,
    /// Writes completed.
    pub writes: u64,
    /// Writes merged into a queued one.
    pub write_merges: u64,
    /// Sectors written.
    pub write_sectors: u64,
    /// Milliseconds that writes waited, summed.
    pub write_wait_ms: u64,
    /// Requests under way now: a gauge, not a counter.
    pub in_flight: u64,
    /// Milliseconds during which a request was under way.
    pub busy_ms: u64,
    /// Milliseconds that all requests waited, summed.
    pub wait_ms: u64,
    /// Discards completed (4.18).
    pub discards: u64,
    /// Discards merged.
    pub discard_merges: u64,
    /// Sectors discarded.
    pub discard_sectors: u64,
    /// Milliseconds that discards waited, summed.
    pub discard_wait_ms: u64,
    /// Flushes completed (5.5).
    pub flushes: u64,
    /// Milliseconds that flushes waited, summed.
    pub flush_wait_ms: u64,
    /// Does this kernel count flushes? Where it does not, their number is 0, too.
    #[serde(skip)]
    pub counts_flushes: bool,
}

/// The fewest numbers any kernel wrote; what later ones added stays 0.
const FIELDS_MIN: usize = 11;
const FIELDS: usize = 17;
/// The place of the gauge among the numbers.
const IN_FLIGHT: usize = 8;

/// The names of the counters, in the order of the file.
#[rustfmt::skip]
pub const COUNTER_NAMES: [&str; 16] = [
    "reads", "read_merges", "read_sectors", "read_wait_ms", "writes", "write_merges", "write_sectors", "write_wait_ms",
    "busy_ms", "wait_ms", "discards", "discard_merges", "discard_sectors", "discard_wait_ms", "flushes", "flush_wait_ms",
];

impl DiskCounters {
    /// Parses the file's text; `None` if it is not a row of at least 11 numbers.
    pub fn parse(text: &str) -> Option<Self> {
        let numbers: Result<Vec<u64>, _> = text.split_whitespace().map(str::parse).collect();
        let numbers = numbers.ok().filter(|n| n.len() >= FIELDS_MIN)?;
        let mut counters = Self { counts_flushes: numbers.len() >= FIELDS, ..Self::default() };
        for (field, number) in counters.fields().into_iter().zip(numbers) {
            *field = number;
        }
        Some(counters)
    }

    /// Reads the counters of the disk or partition `name`.
    pub fn read(root: &Root, name: &str) -> Result<Self, Unknown> {
        let path = format!("/sys/class/block/{name}/stat");
        let text = root.read_text(&path)?;
        Self::parse(&text).ok_or_else(|| Unknown::new(path, format!("unexpected text {text:?}")))
    }

    /// What happened since `earlier`. Counters wrap as the kernel's do; the
    /// gauge stays as it is now.
    pub fn since(&self, earlier: &Self) -> Self {
        let (mut delta, mut then) = (*self, *earlier);
        for (delta, then) in delta.fields().into_iter().zip(then.fields()) {
            *delta = delta.wrapping_sub(*then);
        }
        Self { in_flight: self.in_flight, ..delta }
    }

    /// The counters, by [`COUNTER_NAMES`]. What is in flight is none.
    pub fn counted(mut self) -> Vec<u64> {
        let fields = self.fields().into_iter().enumerate();
        fields.filter(|(at, _)| *at != IN_FLIGHT).map(|(_, field)| *field).collect()
    }

    /// In the order of the file.
    fn fields(&mut self) -> [&mut u64; FIELDS] {
        [
            &mut self.reads,
            &mut self.read_merges,
            &mut self.read_sectors,
            &mut self.read_wait_ms,
            &mut self.writes,
            &mut self.write_merges,
            &mut self.write_sectors,
            &mut self.write_wait_ms,
            &mut self.in_flight,
            &mut self.busy_ms,
            &mut self.wait_ms,
            &mut self.discards,
            &mut self.discard_merges,
            &mut self.discard_sectors,
            &mut self.discard_wait_ms,
            &mut self.flushes,
            &mut self.flush_wait_ms,
        ]
    }
}

/// The disks whose counters count the I/O on `device`: its whole disk first, then the members of
/// the array or volume, and theirs. In place of a partition among the members, its disk is given.
pub fn disks_beneath(root: &Root, device: DevNumber) -> Result<Vec<String>, Unknown> {
    let graph = Graph::read(root, device)?;
    Ok(graph.disks().map(|disk| disk.name.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seventeen_numbers_of_a_current_kernel() {
        let now = "100 2 800 12 50 3 400 9 4 20 21 5 0 4096 1 7 2";
        let counters = DiskCounters::parse(now).unwrap();
        assert_eq!((counters.reads, counters.writes, counters.flushes), (100, 50, 7));
        assert!(counters.counts_flushes);
        assert_eq!(counters.discard_sectors, 4096);
        let then = DiskCounters::parse("40 2 320 2 50 3 400 9 9 10 11 5 0 0 1 7 2").unwrap();
        let delta = counters.since(&then);
        assert_eq!((delta.reads, delta.read_sectors, delta.writes), (60, 480, 0));
        assert_eq!(delta.in_flight, 4, "a gauge has no difference");
        assert_eq!(delta.discard_sectors, 4096);
    }

    #[test]
    fn older_kernels_and_garbage() {
        let old = DiskCounters::parse("1 2 3 4 5 6 7 8 9 10 11").unwrap();
        assert_eq!((old.wait_ms, old.flushes, old.counts_flushes), (11, 0, false));
        assert_eq!(DiskCounters::parse("1 2 3"), None);
        assert_eq!(DiskCounters::parse("1 2 3 4 5 6 7 8 9 10 x"), None);
        assert_eq!(DiskCounters::parse(""), None);
    }

    #[test]
    fn a_wrapped_counter_still_counts() {
        let then = DiskCounters { reads: u64::MAX - 1, ..Default::default() };
        let now = DiskCounters { reads: 3, ..Default::default() };
        assert_eq!(now.since(&then).reads, 5);
    }
}
