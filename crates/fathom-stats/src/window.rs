//! The latencies of one window, in fixed memory; each I/O is recorded once.
//!
//! Recording is the only part whose speed matters. It is a count of leading zeros, a shift,
//! an add, a minimum and a few integer updates: no division, no floating point, no branch,
//! no bounds check that could panic. Minimum and maximum also mark which buckets can be non-zero,
//! so clearing and reading take time only for the buckets between them.
//!
//! It belongs to one worker, which hands it over every second, so a count needs no more than 32
//! bits.

use std::ops::Range;

use crate::Moments;
use crate::bucket::{BUCKETS, index_of};
use crate::sparse::SparseHistogram;

/// Latencies in nanoseconds, as far as a window has seen them: at most [`WindowHistogram::ROOM`]
/// of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowHistogram {
    totals: Moments,
    counts: Box<[u32; BUCKETS]>,
}

impl Default for WindowHistogram {
    fn default() -> Self {
        Self::new()
    }
}

impl WindowHistogram {
    /// Latencies that surely fit. A worker that has recorded half as many must hand the window over.
    pub const ROOM: u64 = u32::MAX as u64;

    /// An empty window. It allocates 17 KiB, and nothing later.
    pub fn new() -> Self {
        let mut counts = Box::new([0; BUCKETS]);
        // The compiler turns the line above into zeroed memory that the kernel has not mapped yet.
        // Writing it now takes the page faults here and not in the first slow I/O.
        std::hint::black_box(&mut counts).fill(0);
        Self { totals: Moments::new(), counts }
    }

    /// Counts one latency.
    #[inline(always)]
    pub fn record(&mut self, ns: u64) {
        let count = &mut self.counts[index_of(ns)];
        *count = count.wrapping_add(1);
        self.totals.record(ns);
    }

    /// Counts a latency `n` times; zero times changes nothing.
    #[inline]
    pub fn record_n(&mut self, ns: u64, n: u64) {
        let count = &mut self.counts[index_of(ns)];
        *count = count.wrapping_add(n as u32);
        self.totals.record_n(ns, n);
    }

    /// Empties it, touching only the buckets that were used.
    pub fn clear(&mut self) {
        let touched = self.touched();
        self.counts[touched].fill(0);
        self.totals = Moments::new();
    }

    /// The non-empty buckets alone, for saving and sending.
    pub fn sparse(&self) -> SparseHistogram {
        let touched = self.touched();
        let counts = self.counts[touched.clone()].iter().map(|&count| u64::from(count));
        SparseHistogram::collect(touched.zip(counts).filter(|(_, count)| *count > 0), self.totals)
    }

    /// Count, sum, sum of squares and extremes: exact.
    pub fn totals(&self) -> &Moments {
        &self.totals
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.totals.count() == 0
    }

    /// The buckets that may be non-zero.
    fn touched(&self) -> Range<usize> {
        match (self.totals.min(), self.totals.max()) {
            (Some(min), Some(max)) => index_of(min)..index_of(max) + 1,
            _ => 0..0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Histogram;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_says_what_a_histogram_says(latencies in proptest::collection::vec((0u64..1 << 44, 0u64..9), 0..60)) {
            let mut window = WindowHistogram::new();
            // The second time in one that was used before.
            for _ in 0..2 {
                window.clear();
                let mut histogram = Histogram::new();
                for &(ns, n) in &latencies {
                    window.record_n(ns, n);
                    window.record(ns / 2);
                    histogram.record_n(ns, n);
                    histogram.record(ns / 2);
                }
                prop_assert_eq!(window.sparse(), histogram.sparse());
                prop_assert_eq!(window.totals(), histogram.totals());
                prop_assert_eq!(window.is_empty(), histogram.is_empty());
            }
        }
    }

    #[test]
    fn as_many_as_there_is_room_for_are_counted() {
        let mut window = WindowHistogram::new();
        window.record_n(7, WindowHistogram::ROOM);
        assert_eq!(Histogram::from(&window.sparse()).buckets().next().unwrap().count, WindowHistogram::ROOM);
    }
}
