//! The latency histogram of results: windows of workers are merged into it, and reports read it.
//!
//! Everything is computed when it is read: mean and deviation from the exact sums, the
//! quantiles from the buckets (layout: `bucket.rs`). Minimum and maximum are exact. Merging adds
//! buckets, so the result is exactly what one histogram of all I/Os would hold.
//!
//! Of the 4,352 buckets it keeps those between the fastest and the slowest latency, since a run of
//! a thousand workers has thousands of histograms. Each I/O is recorded by a
//! [`WindowHistogram`](crate::WindowHistogram).

use std::fmt;

use crate::Moments;
use crate::bucket::{self, BUCKETS, Bucket, OVERFLOW, index_of};
use crate::rank::{quantile_rank, quantile_rank_interval};
use crate::sparse::SparseHistogram;

/// Latencies in nanoseconds, reported within 0.4 %; count, sum, minimum and maximum are exact.
#[derive(Clone, Default)]
pub struct Histogram {
    totals: Moments,
    /// The bucket of the first count.
    first: usize,
    counts: Vec<u64>,
}

/// Buckets are added in blocks of this number, a quarter of those between a latency and its double.
const BLOCK: usize = 32;

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        self.totals == other.totals && self.indexed().eq(other.indexed())
    }
}

impl Eq for Histogram {}

impl Histogram {
    /// An empty histogram.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one latency.
    pub fn record(&mut self, ns: u64) {
        self.record_n(ns, 1);
    }

    /// Counts a latency `n` times; zero times changes nothing.
    pub fn record_n(&mut self, ns: u64, n: u64) {
        if n > 0 {
            let index = index_of(ns);
            *self.count_mut(index) += n;
            self.totals.record_n(ns, n);
        }
    }

    /// Adds all that `other` holds.
    pub fn merge(&mut self, other: &Self) {
        self.add(other.indexed(), &other.totals);
    }

    /// Adds all that a saved histogram holds.
    pub fn add_sparse(&mut self, saved: &SparseHistogram) {
        self.add(saved.indexed(), saved.totals());
    }

    fn add(&mut self, counts: impl Iterator<Item = (usize, u64)>, totals: &Moments) {
        // Memory is allocated once for all buckets between the two extremes.
        for ns in [totals.min(), totals.max()].into_iter().flatten() {
            self.count_mut(index_of(ns));
        }
        for (index, count) in counts {
            // Between the extremes, so there is memory for it.
            if let Some(mine) = self.counts.get_mut(index - self.first) {
                *mine = mine.saturating_add(count);
            }
        }
        self.totals.merge(totals);
    }

    /// The count of a bucket.
    fn count_at(&self, index: usize) -> u64 {
        index.checked_sub(self.first).and_then(|at| self.counts.get(at)).copied().unwrap_or(0)
    }

    /// The count of a bucket, for which memory is allocated if needed.
    fn count_mut(&mut self, index: usize) -> &mut u64 {
        let held = self.first..self.first + self.counts.len();
        if !held.contains(&index) {
            let block = index - index % BLOCK;
            let (from, to) = match held.is_empty() {
                true => (block, block + BLOCK),
                false => (block.min(held.start), (block + BLOCK).max(held.end)),
            };
            let mut counts = vec![0; to.min(BUCKETS) - from];
            counts[self.first.saturating_sub(from)..][..self.counts.len()].copy_from_slice(&self.counts);
            (self.first, self.counts) = (from, counts);
        }
        &mut self.counts[index - self.first]
    }

    /// The non-empty buckets alone, for saving and sending.
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

    /// The smallest latency, in nanoseconds, that at least the share `q` of all latencies does not
    /// exceed: the order statistic of rank `ceil(q·n)`, within 0.4 %.
    ///
    /// The first and the last rank are the exact minimum and maximum; beyond the ceiling the result
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
    /// It assumes independent latencies; where neighbours are similar it is too narrow.
    /// `None` when the sample is too small to bound the quantile on both sides.
    pub fn quantile_interval(&self, q: f64, confidence: f64) -> Option<(u64, u64)> {
        let (low, high) = quantile_rank_interval(q, self.count(), confidence)?;
        let (low_ns, _) = self.edges(self.index_at(low));
        let (_, high_ns) = self.edges(self.index_at(high));
        Some((low_ns, high_ns))
    }

    /// How many latencies are below `ns`, where `ns` may lie inside a bucket.
    ///
    /// To count the whole bucket on one side would be wrong by up to half a bucket where the
    /// distribution is smooth. So a bucket with about the count of its neighbours counts as evenly
    /// filled. If it holds more than both neighbours together, the excess is a peak and is not
    /// divided: it comes from a fixed latency at one place of the bucket, most often at a round
    /// number. Counts of adjacent ranges add up to the whole.
    pub fn estimated_below(&self, ns: u64) -> u64 {
        let index = index_of(ns);
        let before: u64 = self.indexed().take_while(|(at, _)| *at < index).map(|(_, count)| count).sum();
        let count = self.count_at(index);
        if index == OVERFLOW || count == 0 {
            return before + if self.reported(index) < ns { count } else { 0 };
        }
        let neighbours =
            index.checked_sub(1).map_or(0, |left| self.count_at(left)) + self.count_at(index + 1);
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

    /// Index and count of the non-empty buckets.
    fn indexed(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let counts = self.counts.iter().copied().enumerate().map(|(at, count)| (self.first + at, count));
        counts.filter(|(_, count)| *count > 0)
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

    /// The one value that is reported for a bucket: its middle, limited to the values that were seen.
    /// For the overflow bucket, whose middle means nothing, it is the maximum.
    fn reported(&self, index: usize) -> u64 {
        let (min, max) = self.extremes();
        bucket::reported(index, min, max)
    }
}

impl From<&SparseHistogram> for Histogram {
    fn from(saved: &SparseHistogram) -> Self {
        let mut histogram = Self::new();
        histogram.add_sparse(saved);
        histogram
    }
}

/// A summary, because four thousand bucket counts do not help a reader of a failed test.
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
