//! The result of one comparison, as it is printed and recorded.

use std::fmt;

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

// The goal for a ratio, and whether a measurement shows that it is reached.

/// Fewest pairs for a claim: fewer leave the ends of the interval to single runs.
pub const PAIRS_MIN: u64 = 12;

/// A goal for the ratio of fathom's figure to fio's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// The ratio is shown, and there is no goal.
    #[default]
    Open,
    /// At least this: above 1 a win, below 1 what something may cost.
    AtLeast(f64),
    /// At most this: fathom must use less.
    AtMost(f64),
    /// The device is the limit, so fathom must not be slower.
    NoLess,
}

/// Whether the goal was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes, and the interval excludes chance.
    Met,
    /// No.
    Missed,
    /// The runs cannot tell: too few, or the interval holds 1.
    Unproved,
}

impl Goal {
    /// `None` if there is no goal.
    pub fn judge(self, ratio: &Ratio) -> Option<Verdict> {
        let reached = match self {
            Goal::Open => return None,
            Goal::AtLeast(least) => ratio.value >= least,
            Goal::AtMost(most) => ratio.value <= most,
            Goal::NoLess => ratio.interval.is_some_and(|(_, high)| high >= 1.0),
        };
        let Some((low, high)) = ratio.interval.filter(|_| ratio.pairs >= PAIRS_MIN) else {
            return Some(Verdict::Unproved);
        };
        let claims_a_difference = match self {
            Goal::AtLeast(least) => least > 1.0,
            Goal::AtMost(_) => true,
            Goal::NoLess | Goal::Open => false,
        };
        let holds_one = low <= 1.0 && 1.0 <= high;
        Some(match reached {
            false => Verdict::Missed,
            true if holds_one && claims_a_difference => Verdict::Unproved,
            true => Verdict::Met,
        })
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::Open => write!(f, "-"),
            Goal::AtLeast(least) => write!(f, "≥ {least}"),
            Goal::AtMost(most) => write!(f, "≤ {most}"),
            Goal::NoLess => write!(f, "no less"),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Met => "met",
            Verdict::Missed => "NOT MET",
            Verdict::Unproved => "unproved",
        })
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

    fn ratio(value: f64, low: f64, high: f64, pairs: u64) -> Ratio {
        Ratio { value, interval: Some((low, high)), pairs }
    }

    #[test]
    fn a_claim_needs_the_budget_the_pairs_and_an_interval_without_one() {
        let goal = Goal::AtLeast(1.3);
        assert_eq!(goal.judge(&ratio(1.35, 1.31, 1.4, 12)), Some(Verdict::Met));
        assert_eq!(goal.judge(&ratio(1.25, 1.2, 1.4, 12)), Some(Verdict::Missed));
        assert_eq!(goal.judge(&ratio(1.35, 1.31, 1.4, 11)), Some(Verdict::Unproved));
        assert_eq!(goal.judge(&ratio(1.35, 0.9, 1.8, 12)), Some(Verdict::Unproved));
        assert_eq!(goal.judge(&Ratio { value: 9.0, interval: None, pairs: 2 }), Some(Verdict::Unproved));
        assert_eq!(Goal::Open.judge(&ratio(1.35, 1.31, 1.4, 12)), None);
    }

    #[test]
    fn what_something_may_cost_claims_no_difference() {
        let goal = Goal::AtLeast(0.97);
        assert_eq!(goal.judge(&ratio(0.98, 0.95, 1.02, 12)), Some(Verdict::Met));
        assert_eq!(goal.judge(&ratio(0.96, 0.95, 1.02, 12)), Some(Verdict::Missed));
    }

    #[test]
    fn a_saving_is_judged_from_the_other_side() {
        let goal = Goal::AtMost(0.6);
        assert_eq!(goal.judge(&ratio(0.55, 0.5, 0.7, 12)), Some(Verdict::Met));
        assert_eq!(goal.judge(&ratio(0.65, 0.5, 0.7, 12)), Some(Verdict::Missed));
    }

    #[test]
    fn no_less_is_met_when_no_loss_is_seen() {
        assert_eq!(Goal::NoLess.judge(&ratio(0.99, 0.97, 1.01, 12)), Some(Verdict::Met));
        assert_eq!(Goal::NoLess.judge(&ratio(0.95, 0.93, 0.98, 12)), Some(Verdict::Missed));
    }
}
