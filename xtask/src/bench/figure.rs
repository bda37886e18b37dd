//! The result of one comparison, as it is printed and recorded.

use serde::{Deserialize, Serialize};

/// The confidence of the intervals.
const CONFIDENCE: f64 = 0.95;

/// fathom's figure divided by fio's, from pairs of runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Median of the pairs' ratios. With an odd number of pairs it is that of their logarithms.
    pub value: f64,
    /// Interval of 95 % from order statistics; absent for fewer than six pairs.
    pub interval: Option<(f64, f64)>,
    /// Number of pairs.
    pub pairs: u64,
}

/// One quantity on both sides: medians of the runs, and the ratio from the pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// fathom's median.
    pub ours: f64,
    /// fio's median; absent where fio cannot run the case.
    pub theirs: Option<f64>,
    /// fathom's figure divided by fio's.
    pub ratio: Option<Ratio>,
}

/// One case, measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Name of the case.
    pub name: String,
    /// I/Os per second.
    pub iops: Quantity,
    /// CPU time of the process per I/O, ns: user and system, its kernel workers included.
    pub cpu_ns: Quantity,
    /// CPU time of the whole machine per I/O, ns: kernel threads that serve the device too, but also
    /// whatever else ran.
    pub machine_ns: Quantity,
    /// System calls per I/O; absent where they could not be counted.
    pub calls: Option<(f64, Option<f64>)>,
}

impl Quantity {
    /// The quantity from the runs of both sides; `theirs` is empty if there is no other tool.
    pub fn from_runs(ours: &[f64], theirs: &[f64]) -> Self {
        Self {
            ours: median(ours).unwrap_or(0.0),
            theirs: median(theirs),
            ratio: Ratio::from_pairs(ours, theirs),
        }
    }
}

impl Ratio {
    fn from_pairs(ours: &[f64], theirs: &[f64]) -> Option<Self> {
        let ratios: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a / b).collect();
        let estimate = fathom_stats::median_ratio(theirs, ours, CONFIDENCE);
        Some(Self {
            value: median(&ratios)?,
            interval: estimate.map(|e| (e.low, e.high)),
            pairs: ratios.len() as u64,
        })
    }
}

/// The median; for an even number of values it is between the two middle ones.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_pairs_have_a_ratio_but_no_interval() {
        let few = Quantity::from_runs(&[200.0, 210.0], &[100.0, 100.0]);
        assert_eq!(few.ratio, Some(Ratio { value: 2.05, interval: None, pairs: 2 }));
        let enough = Quantity::from_runs(&[200.0; 6], &[100.0; 6]);
        assert_eq!(enough.ratio.and_then(|r| r.interval), Some((2.0, 2.0)));
    }

    #[test]
    fn without_a_peer_there_is_no_ratio() {
        let alone = Quantity::from_runs(&[5.0, 1.0, 3.0], &[]);
        assert_eq!(alone, Quantity { ours: 3.0, theirs: None, ratio: None });
    }
}
