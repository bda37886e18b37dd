//! A histogram as it is saved: the non-empty buckets and the exact totals.
//!
//! Buckets are stored by their distance from the one before. The buckets of a distribution are near
//! each other, so in a variable-length encoding most take one byte of distance and one or two of
//! count: some hundred bytes for a second of one direction.
//!
//! Saved data is checked once, while it is parsed. So every `SparseHistogram` is
//! consistent, and adding it to a histogram cannot fail.

use serde::{Deserialize, Serialize};

use crate::Moments;
use crate::bucket::{OVERFLOW, index_of, reported};
use crate::rank::quantile_rank;

/// The saved form of a [`Histogram`](crate::Histogram); restoring it loses nothing.
#[derive(Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct SparseHistogram {
    totals: Moments,
    /// (distance from the bucket before, or from 0; values in the bucket)
    steps: Vec<(u16, u64)>,
}

/// Why saved histogram data is not valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SparseError {
    /// A bucket index is repeated or lies past the last bucket.
    #[error("histogram bucket {index} is repeated or past the last one, {OVERFLOW}")]
    Index {
        /// The bucket index that is wrong.
        index: usize,
    },
    /// A bucket is listed although it holds nothing.
    #[error("histogram bucket {index} is listed but empty")]
    Empty {
        /// The bucket index that is wrong.
        index: usize,
    },
    /// The buckets do not add up to the count.
    #[error("histogram buckets do not add up to the count of {count}")]
    Count {
        /// The count as saved.
        count: u64,
    },
    /// Minimum, maximum or sum contradict the buckets.
    #[error("histogram minimum, maximum and sum do not belong to its buckets")]
    Totals,
    /// The packed form is cut, or no histogram has it.
    #[error("a packed histogram is cut, or contradicts itself")]
    Packed,
}

#[derive(Deserialize)]
struct Unchecked {
    totals: Moments,
    steps: Vec<(u16, u64)>,
}

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

    /// A histogram as it was saved ([`Self::totals`], [`Self::steps`]).
    ///
    /// # Errors
    /// The buckets contradict each other or the totals.
    pub fn new(totals: Moments, steps: Vec<(u16, u64)>) -> Result<Self, SparseError> {
        Unchecked { totals, steps }.try_into()
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

impl TryFrom<Unchecked> for SparseHistogram {
    type Error = SparseError;

    fn try_from(saved: Unchecked) -> Result<Self, SparseError> {
        saved.check_buckets()?;
        saved.check_totals()?;
        Ok(Self { totals: saved.totals, steps: saved.steps })
    }
}

impl Unchecked {
    fn check_buckets(&self) -> Result<(), SparseError> {
        let mut before = None;
        let mut total = 0_u64;
        let count = self.totals.count();
        let wrong_count = SparseError::Count { count };
        for (index, n) in indexed(&self.steps) {
            if index > OVERFLOW || before == Some(index) {
                return Err(SparseError::Index { index });
            }
            if n == 0 {
                return Err(SparseError::Empty { index });
            }
            before = Some(index);
            total = total.checked_add(n).ok_or(wrong_count)?;
        }
        (total == count).then_some(()).ok_or(wrong_count)
    }

    fn check_totals(&self) -> Result<(), SparseError> {
        let first = indexed(&self.steps).next();
        let last = indexed(&self.steps).last();
        let (n, sum) = (u128::from(self.totals.count()), self.totals.sum());
        let consistent = match (first, last, self.totals.min(), self.totals.max()) {
            (Some((first, _)), Some((last, _)), Some(min), Some(max)) => {
                let (least, most) = (u128::from(min) * n, u128::from(max) * n);
                index_of(min) == first && index_of(max) == last && (least..=most).contains(&sum)
            }
            (None, None, None, None) => self.totals == Moments::new(),
            _ => false,
        };
        consistent.then_some(()).ok_or(SparseError::Totals)
    }
}

/// Turns distances back into indices.
fn indexed(steps: &[(u16, u64)]) -> impl Iterator<Item = (usize, u64)> + '_ {
    steps.iter().scan(0, |index, (step, count)| {
        *index += usize::from(*step);
        Some((*index, *count))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Result<SparseHistogram, String> {
        serde_json::from_str(json).map_err(|e| e.to_string())
    }

    #[test]
    fn consistent_data_parses() {
        let saved = parse(
            r#"{"totals":{"n":3,"sum":620,"sum_squares":0,"min":100,"max":260},"steps":[[100,1],[158,2]]}"#,
        )
        .unwrap();
        assert_eq!(saved.indexed().collect::<Vec<_>>(), [(100, 1), (258, 2)]);
        assert_eq!(saved.totals().mean(), Some(620.0 / 3.0));
        let empty = parse(
            r#"{"totals":{"n":0,"sum":0,"sum_squares":0,"min":18446744073709551615,"max":0},"steps":[]}"#,
        )
        .unwrap();
        assert_eq!((empty.totals().min(), empty.totals().mean()), (None, None));
    }

    #[test]
    fn contradictions_are_named() {
        let cases = [
            (
                r#"{"totals":{"n":1,"sum":1,"sum_squares":0,"min":1,"max":1},"steps":[[4353,1]]}"#,
                "past the last",
            ),
            (
                r#"{"totals":{"n":2,"sum":2,"sum_squares":0,"min":1,"max":1},"steps":[[1,1],[0,1]]}"#,
                "repeated",
            ),
            (r#"{"totals":{"n":1,"sum":1,"sum_squares":0,"min":1,"max":1},"steps":[[1,1],[1,0]]}"#, "empty"),
            (r#"{"totals":{"n":5,"sum":5,"sum_squares":0,"min":1,"max":1},"steps":[[1,4]]}"#, "count of 5"),
            (r#"{"totals":{"n":1,"sum":1,"sum_squares":0,"min":1,"max":2},"steps":[[1,1]]}"#, "maximum"),
            (r#"{"totals":{"n":1,"sum":2,"sum_squares":0,"min":1,"max":1},"steps":[[1,1]]}"#, "sum"),
            (
                r#"{"totals":{"n":0,"sum":7,"sum_squares":0,"min":18446744073709551615,"max":0},"steps":[]}"#,
                "sum",
            ),
        ];
        for (json, complaint) in cases {
            let error = parse(json).unwrap_err();
            assert!(error.contains(complaint), "{json}: {error}");
        }
        let most = u64::MAX;
        let wraps = format!(
            r#"{{"totals":{{"n":0,"sum":0,"sum_squares":0,"min":1,"max":2}},"steps":[[1,{most}],[1,1]]}}"#
        );
        assert!(parse(&wraps).unwrap_err().contains("count of 0"));
    }
}
