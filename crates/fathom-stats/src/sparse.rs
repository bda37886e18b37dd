//! A histogram as it is saved: the non-empty buckets and the exact totals.
//!
//! Buckets are stored by their distance from the one before. A distribution's buckets lie close
//! together, so in a variable-length encoding most take one byte of distance and one or two of
//! count: some hundred bytes for a second of one direction.
//!
//! What is read back is checked once, while it is parsed. A `SparseHistogram` in hand is
//! consistent, and adding it to a histogram cannot fail.

use serde::{Deserialize, Serialize};

use crate::bucket::{OVERFLOW, index_of};
use crate::wide;

/// The saved form of a [`Histogram`](crate::Histogram); restoring it is exact to the bit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct SparseHistogram {
    count: u64,
    #[serde(with = "wide")]
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
    /// (distance from the bucket before, or from 0; values in the bucket)
    steps: Vec<(u16, u64)>,
}

/// Why saved histogram data cannot be one of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SparseError {
    /// A bucket index is repeated or lies past the last bucket.
    #[error("histogram bucket {index} is repeated or past the last one, {OVERFLOW}")]
    Index {
        /// The offending bucket index.
        index: usize,
    },
    /// A bucket is listed although it holds nothing.
    #[error("histogram bucket {index} is listed but empty")]
    Empty {
        /// The offending bucket index.
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
}

#[derive(Deserialize)]
struct Unchecked {
    count: u64,
    #[serde(with = "wide")]
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
    steps: Vec<(u16, u64)>,
}

impl SparseHistogram {
    pub(crate) fn collect(
        indexed: impl Iterator<Item = (usize, u64)>,
        count: u64,
        sum_ns: u128,
        min_ns: u64,
        max_ns: u64,
    ) -> Self {
        let mut before = 0;
        let steps = indexed
            .map(|(index, count)| {
                let step = index - std::mem::replace(&mut before, index);
                (step as u16, count)
            })
            .collect();
        Self { count, sum_ns, min_ns, max_ns, steps }
    }

    /// Bucket index and count, ascending.
    pub(crate) fn indexed(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        indexed(&self.steps)
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many latencies were recorded.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Exact sum of all latencies, in nanoseconds.
    pub fn sum(&self) -> u128 {
        self.sum_ns
    }

    /// Exact smallest latency, in nanoseconds.
    pub fn min(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.min_ns)
    }

    /// Exact largest latency, in nanoseconds.
    pub fn max(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.max_ns)
    }

    /// Exact mean, in nanoseconds.
    pub fn mean(&self) -> Option<f64> {
        (!self.is_empty()).then(|| self.sum_ns as f64 / self.count as f64)
    }
}

impl TryFrom<Unchecked> for SparseHistogram {
    type Error = SparseError;

    fn try_from(saved: Unchecked) -> Result<Self, SparseError> {
        saved.check_buckets()?;
        saved.check_totals()?;
        Ok(Self {
            count: saved.count,
            sum_ns: saved.sum_ns,
            min_ns: saved.min_ns,
            max_ns: saved.max_ns,
            steps: saved.steps,
        })
    }
}

impl Unchecked {
    fn check_buckets(&self) -> Result<(), SparseError> {
        let mut before = None;
        let mut total = 0_u64;
        let wrong_count = SparseError::Count { count: self.count };
        for (index, count) in indexed(&self.steps) {
            if index > OVERFLOW || before == Some(index) {
                return Err(SparseError::Index { index });
            }
            if count == 0 {
                return Err(SparseError::Empty { index });
            }
            before = Some(index);
            total = total.checked_add(count).ok_or(wrong_count)?;
        }
        (total == self.count).then_some(()).ok_or(wrong_count)
    }

    fn check_totals(&self) -> Result<(), SparseError> {
        let first = indexed(&self.steps).next();
        let last = indexed(&self.steps).last();
        let consistent = match (first, last) {
            (Some((first, _)), Some((last, _))) => {
                let n = u128::from(self.count);
                let least = u128::from(self.min_ns) * n;
                let most = u128::from(self.max_ns) * n;
                index_of(self.min_ns) == first
                    && index_of(self.max_ns) == last
                    && (least..=most).contains(&self.sum_ns)
            }
            _ => self.sum_ns == 0 && self.min_ns == 0 && self.max_ns == 0,
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
        let saved =
            parse(r#"{"count":3,"sum_ns":620,"min_ns":100,"max_ns":260,"steps":[[100,1],[158,2]]}"#).unwrap();
        assert_eq!(saved.indexed().collect::<Vec<_>>(), [(100, 1), (258, 2)]);
        assert_eq!(saved.mean(), Some(620.0 / 3.0));
        let empty = parse(r#"{"count":0,"sum_ns":0,"min_ns":0,"max_ns":0,"steps":[]}"#).unwrap();
        assert_eq!((empty.min(), empty.mean()), (None, None));
    }

    #[test]
    fn contradictions_are_named() {
        let cases = [
            (r#"{"count":1,"sum_ns":1,"min_ns":1,"max_ns":1,"steps":[[4353,1]]}"#, "past the last"),
            (r#"{"count":2,"sum_ns":2,"min_ns":1,"max_ns":1,"steps":[[1,1],[0,1]]}"#, "repeated"),
            (r#"{"count":1,"sum_ns":1,"min_ns":1,"max_ns":1,"steps":[[1,1],[1,0]]}"#, "empty"),
            (r#"{"count":5,"sum_ns":5,"min_ns":1,"max_ns":1,"steps":[[1,4]]}"#, "count of 5"),
            (r#"{"count":1,"sum_ns":1,"min_ns":1,"max_ns":2,"steps":[[1,1]]}"#, "maximum"),
            (r#"{"count":1,"sum_ns":2,"min_ns":1,"max_ns":1,"steps":[[1,1]]}"#, "sum"),
            (r#"{"count":0,"sum_ns":7,"min_ns":0,"max_ns":0,"steps":[]}"#, "sum"),
        ];
        for (json, complaint) in cases {
            let error = parse(json).unwrap_err();
            assert!(error.contains(complaint), "{json}: {error}");
        }
        let most = u64::MAX;
        let wraps = format!(r#"{{"count":0,"sum_ns":0,"min_ns":1,"max_ns":2,"steps":[[1,{most}],[1,1]]}}"#);
        assert!(parse(&wraps).unwrap_err().contains("count of 0"));
    }
}
