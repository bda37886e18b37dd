//! The goal for a ratio, and whether a measurement shows that it is reached.

use std::fmt;

use super::figure::Ratio;

/// Fewest pairs for a claim: fewer leave the ends of the interval to single runs.
pub const PAIRS_MIN: u64 = 12;

/// A goal for the ratio of fathom's figure to fio's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// The ratio is shown, and there is no goal.
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
