//! A histogram as it is saved: the non-empty buckets and the exact totals.
//!
//! Buckets are stored by their distance from the one before. The buckets of a distribution are near
//! each other, so in a variable-length encoding most take one byte of distance and one or two of
//! count: some hundred bytes for a second of one direction.
//!
//! Saved data is checked once, while it is parsed. So every `SparseHistogram` is
//! consistent, and adding it to a histogram cannot fail.

use crate::Moments;
use crate::bucket::{index_of, reported};
use crate::rank::quantile_rank;

/// The saved form of a [`Histogram`](crate::Histogram); restoring it loses nothing.
#[derive(Debug, PartialEq, Eq, Default)]
pub struct SparseHistogram {
    totals: Moments,
    /// (distance from the bucket before, or from 0; values in the bucket)
    steps: Vec<(u16, u64)>,
}

/// Why bytes are not a packed histogram ([`SparseHistogram::unpack`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a packed histogram is cut, or contradicts itself")]
pub struct SparseError;

impl SparseHistogram {
    pub(crate) fn collect(indexed: impl Iterator<Item = (usize, u64)>, totals: Moments) -> Self {
        let mut before = 0;
        let steps = indexed
            .map(|(index, count)| {
                let step = index - std::mem::replace(&mut before, index);
                (step as u16, count)
            })
            .collect();
        Self { totals, steps }
    }

    /// A histogram of parts that agree.
    pub(crate) fn of_parts(totals: Moments, steps: Vec<(u16, u64)>) -> Self {
        Self { totals, steps }
    }

    pub(crate) fn into_steps(self) -> Vec<(u16, u64)> {
        self.steps
    }

    /// Of each bucket with values, ascending: the distance from the one before (from 0 for the
    /// first), and the number of values.
    pub fn steps(&self) -> &[(u16, u64)] {
        &self.steps
    }

    /// Bucket index and count, ascending.
    pub(crate) fn indexed(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        indexed(&self.steps)
    }

    /// The same as [`Histogram::quantile`](crate::Histogram::quantile) of the restored histogram,
    /// without restoring it.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        let (min, max) = (self.totals.min()?, self.totals.max()?);
        let rank = quantile_rank(q, self.totals.count())?;
        if rank == 1 || rank == self.totals.count() {
            return Some(if rank == 1 { min } else { max });
        }
        Some(reported(self.index_at(rank, max), min, max))
    }

    /// The bucket of a rank, looked for from the slow end, near which quantiles are.
    fn index_at(&self, rank: u64, max: u64) -> usize {
        let mut index = index_of(max);
        let mut slower = self.totals.count() - rank;
        for (step, count) in self.steps.iter().rev() {
            if slower < *count {
                break;
            }
            slower -= count;
            index -= usize::from(*step);
        }
        index
    }

    /// Count, sum, sum of squares and extremes: exact.
    pub fn totals(&self) -> &Moments {
        &self.totals
    }
}

/// A copy into another histogram uses its memory.
impl Clone for SparseHistogram {
    fn clone(&self) -> Self {
        Self { totals: self.totals, steps: self.steps.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.totals = other.totals;
        self.steps.clone_from(&other.steps);
    }
}

/// Turns distances back into indices.
fn indexed(steps: &[(u16, u64)]) -> impl Iterator<Item = (usize, u64)> + '_ {
    steps.iter().scan(0, |index, (step, count)| {
        *index += usize::from(*step);
        Some((*index, *count))
    })
}
