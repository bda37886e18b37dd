//! The latency histogram: fixed memory, recorded into once per I/O.
//!
//! Recording is the only part that matters for speed, and it is a count of leading zeros, a shift,
//! an add, a minimum and a handful of integer updates: no division, no floating point, no branch,
//! no bounds check that could panic. Everything else is derived when somebody reads: mean and
//! deviation from the exact sums, the quantiles from the buckets (layout: `bucket.rs`). Minimum
//! and maximum are exact and also mark which buckets can be non-zero, so clearing, merging and
//! reading cost what the distribution spans, not what the histogram could hold.
//!
//! A histogram belongs to one worker. Merging adds buckets, so the whole is exactly what one
//! histogram would have held.

use std::fmt;
use std::ops::Range;

use crate::Moments;
use crate::bucket::{self, BUCKETS, Bucket, OVERFLOW, index_of};
use crate::rank::{quantile_rank, quantile_rank_interval};
use crate::sparse::SparseHistogram;

/// Latencies in nanoseconds, reported within 0.4 %; count, sum, minimum and maximum are exact.
#[derive(Clone, PartialEq, Eq)]
pub struct Histogram {
    totals: Moments,
    counts: Box<[u64; BUCKETS]>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// An empty histogram; the only allocation of its life, 34 KiB.
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
        self.counts[index_of(ns)] += 1;
        self.totals.record(ns);
    }

    /// Counts a latency `n` times; zero times leaves no trace.
    #[inline]
    pub fn record_n(&mut self, ns: u64, n: u64) {
        self.counts[index_of(ns)] += n;
        self.totals.record_n(ns, n);
    }

    /// Adds all that `other` holds.
    pub fn merge(&mut self, other: &Self) {
        let touched = other.touched();
        let theirs = &other.counts[touched.clone()];
        for (mine, theirs) in self.counts[touched].iter_mut().zip(theirs) {
            *mine = mine.saturating_add(*theirs);
        }
        self.totals.merge(&other.totals);
    }

    /// Adds all that a saved histogram holds.
    pub fn add_sparse(&mut self, saved: &SparseHistogram) {
        for (index, count) in saved.indexed() {
            self.counts[index] = self.counts[index].saturating_add(count);
        }
        self.totals.merge(saved.totals());
    }

    /// Empties the histogram, touching only the buckets that were used.
    pub fn clear(&mut self) {
        let touched = self.touched();
        self.counts[touched].fill(0);
        self.totals = Moments::new();
    }

    /// The non-empty buckets alone, for files and wires.
    pub fn sparse(&self) -> SparseHistogram {
        SparseHistogram::collect(self.indexed(), self.totals)
    }

    /// Count, sum, sum of squares and extremes: exact.
    pub fn totals(&self) -> &Moments {
        &self.totals
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.totals.count() == 0
    }

    /// How many latencies were recorded.
    pub fn count(&self) -> u64 {
        self.totals.count()
    }

    /// Exact sum of all latencies, in nanoseconds.
    pub fn sum(&self) -> u128 {
        self.totals.sum()
    }

    /// Exact smallest latency, in nanoseconds.
    pub fn min(&self) -> Option<u64> {
        self.totals.min()
    }

    /// Exact largest latency, in nanoseconds.
    pub fn max(&self) -> Option<u64> {
        self.totals.max()
    }

    /// Exact mean, in nanoseconds.
    pub fn mean(&self) -> Option<f64> {
        self.totals.mean()
    }

    /// Exact standard deviation, as of a sample (n − 1), in nanoseconds; needs two latencies.
    pub fn stddev(&self) -> Option<f64> {
        self.totals.stddev()
    }

    /// The smallest latency, in nanoseconds, that at least the share `q` of all latencies does not
    /// exceed: the order statistic of rank `ceil(q·n)`, within 0.4 %.
    ///
    /// The first and the last rank are the exact minimum and maximum; beyond the ceiling the answer
    /// is the maximum. `None` when empty or when `q` lies outside 0..=1.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        let rank = quantile_rank(q, self.count())?;
        match rank {
            1 => self.min(),
            _ if rank == self.count() => self.max(),
            _ => Some(self.reported(self.index_at(rank))),
        }
    }

    /// An interval, in nanoseconds, that holds the true quantile with the given confidence: outer
    /// bucket edges of two order statistics ([`quantile_rank_interval`]).
    ///
    /// It assumes independent latencies; where neighbours resemble each other it is too narrow.
    /// `None` when the sample is too small to bound the quantile on both sides.
    pub fn quantile_interval(&self, q: f64, confidence: f64) -> Option<(u64, u64)> {
        let (low, high) = quantile_rank_interval(q, self.count(), confidence)?;
        let (low_ns, _) = self.edges(self.index_at(low));
        let (_, high_ns) = self.edges(self.index_at(high));
        Some((low_ns, high_ns))
    }

    /// How many latencies are below `ns`.
    ///
    /// Each counts at the value that its bucket reports, so only those within 0.4 % of `ns` can
    /// fall on the wrong side, and adjacent ranges add up to the whole.
    pub fn cumulative_below(&self, ns: u64) -> u64 {
        self.indexed().take_while(|(index, _)| self.reported(*index) < ns).map(|(_, count)| count).sum()
    }

    /// How many latencies lie in `low_ns..high_ns`, counted as in [`Self::cumulative_below`].
    pub fn count_between(&self, low_ns: u64, high_ns: u64) -> u64 {
        let below = self.cumulative_below(low_ns);
        self.cumulative_below(high_ns).saturating_sub(below)
    }

    /// How many latencies are below `ns`, where that cuts a bucket in two.
    ///
    /// [`Self::cumulative_below`] gives the whole bucket to one side, which for a smooth
    /// distribution is up to half a bucket wrong. Here a bucket that its neighbours resemble counts
    /// as evenly filled. What it holds more than both neighbours together is a peak, and stays
    /// together: such are fixed latencies, which lie at one place of the bucket, most often at a
    /// round number. Counts of adjacent ranges add up to the whole.
    pub fn estimated_below(&self, ns: u64) -> u64 {
        let index = index_of(ns);
        let before: u64 = self.counts[..index].iter().sum();
        let count = self.counts[index];
        if index == OVERFLOW || count == 0 {
            return before + if self.reported(index) < ns { count } else { 0 };
        }
        let neighbours = index.checked_sub(1).map_or(0, |left| self.counts[left]) + self.counts[index + 1];
        let even = count.min(neighbours);
        let peak = count - even;
        let (low, high) = self.edges(index);
        let share = (ns.saturating_sub(low) as f64 / (high - low + 1) as f64).min(1.0);
        let of_peak = if self.reported(index) < ns { peak } else { 0 };
        before + (even as f64 * share).round() as u64 + of_peak
    }

    /// The non-empty buckets, fastest first.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> + '_ {
        self.indexed().map(|(index, count)| {
            let (low_ns, high_ns) = bucket::bounds(index);
            let high_ns = if index == OVERFLOW { self.extremes().1 } else { high_ns };
            Bucket { low_ns, high_ns, count }
        })
    }

    /// Exact smallest and largest latency; zeros when there is none.
    fn extremes(&self) -> (u64, u64) {
        (self.min().unwrap_or(0), self.max().unwrap_or(0))
    }

    /// The buckets that may be non-zero.
    fn touched(&self) -> Range<usize> {
        match (self.min(), self.max()) {
            (Some(min), Some(max)) => index_of(min)..index_of(max) + 1,
            _ => 0..0,
        }
    }

    /// Index and count of the non-empty buckets.
    fn indexed(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let touched = self.touched();
        let counts = self.counts[touched.clone()].iter().copied();
        touched.zip(counts).filter(|(_, count)| *count > 0)
    }

    /// The bucket that holds the value of a rank between 1 and `count`.
    fn index_at(&self, rank: u64) -> usize {
        let mut cumulative = 0;
        self.indexed()
            .find(|(_, count)| {
                cumulative += count;
                cumulative >= rank
            })
            .map_or(index_of(self.extremes().1), |(index, _)| index)
    }

    /// The part of a bucket in which values were seen.
    fn edges(&self, index: usize) -> (u64, u64) {
        let ((low, high), (min, max)) = (bucket::bounds(index), self.extremes());
        (low.max(min), high.min(max))
    }

    /// The one value that stands for a bucket: the middle of the bucket, moved into what was seen;
    /// for overflow, whose middle means nothing, the maximum.
    fn reported(&self, index: usize) -> u64 {
        let (min, max) = self.extremes();
        if index == OVERFLOW {
            return max;
        }
        let (low, high) = bucket::bounds(index);
        (low + (high - low) / 2).clamp(min, max)
    }
}

impl From<&SparseHistogram> for Histogram {
    fn from(saved: &SparseHistogram) -> Self {
        let mut histogram = Self::new();
        histogram.add_sparse(saved);
        histogram
    }
}

/// A summary: four thousand bucket counts tell a reader of a failed test nothing.
impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Histogram")
            .field("count", &self.count())
            .field("sum_ns", &self.sum())
            .field("min_ns", &self.min())
            .field("max_ns", &self.max())
            .field("buckets", &self.buckets().count())
            .finish()
    }
}
