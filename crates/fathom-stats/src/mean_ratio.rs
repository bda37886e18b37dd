//! The ratio of the means of two sets of independent runs.

use crate::estimate::{Estimate, mean, sample_variance};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Runs that each side needs. Two would formally be enough; the interval would be of no use.
pub const RUNS_MIN: usize = 3;

/// A ratio with its interval, and the test whether it is 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanRatio {
    /// Mean of the candidate divided by mean of the baseline.
    pub ratio: Estimate,
    /// Welch's t: the difference of the means in its standard errors.
    pub t: f64,
    /// Degrees of freedom by Welch and Satterthwaite.
    pub degrees: f64,
    /// The probability of a difference at least as large between two sets of the same system.
    pub p_value: f64,
}

/// The mean of `candidate` divided by the mean of `baseline`, for runs that were made independently
/// of each other.
///
/// The interval is that of E. C. Fieller ("Some problems in interval estimation", Journal of the
/// Royal Statistical Society B 16 (1954) 175-185): it holds each ratio ρ that a t-test of
/// `candidate − ρ · baseline` does not refuse. With the degrees of freedom of B. L. Welch
/// (Biometrika 34 (1947) 28-35) it leaves out 1 exactly if Welch's test finds a difference, so the
/// interval and the test never disagree.
///
/// `None` for fewer than [`RUNS_MIN`] runs on a side, a value that is negative or not finite, a
/// baseline whose mean may be 0, or a confidence that is not between 0 and 1.
pub fn mean_ratio(baseline: &[f64], candidate: &[f64], confidence: f64) -> Option<MeanRatio> {
    let is_usable = |values: &[f64]| {
        values.len() >= RUNS_MIN && values.iter().all(|value| value.is_finite() && *value >= 0.0)
    };
    let is_possible = confidence > 0.0 && confidence < 1.0;
    if !(is_possible && is_usable(baseline) && is_usable(candidate)) {
        return None;
    }
    let (from, to) = (Side::of(baseline), Side::of(candidate));
    if from.mean == 0.0 {
        return None;
    }
    let value = to.mean / from.mean;
    let squared_error = from.squared_error + to.squared_error;
    if squared_error == 0.0 {
        return Some(exact(value, baseline.len() + candidate.len(), confidence));
    }
    let degrees = squared_error.powi(2) / (from.welch_term() + to.welch_term());
    let t = (to.mean - from.mean) / squared_error.sqrt();
    let student = StudentsT::new(0.0, 1.0, degrees).ok()?;
    let critical = student.inverse_cdf(0.5 + confidence / 2.0);
    let (low, high) = fieller(&from, &to, critical)?;
    Some(MeanRatio {
        ratio: Estimate { value, low, high, n: (baseline.len() + candidate.len()) as u64, confidence },
        t,
        degrees,
        p_value: (2.0 * student.sf(t.abs())).min(1.0),
    })
}

/// One set of runs.
struct Side {
    mean: f64,
    /// Square of the standard error of the mean.
    squared_error: f64,
    n: f64,
}

impl Side {
    fn of(values: &[f64]) -> Side {
        let n = values.len() as f64;
        Side { mean: mean(values), squared_error: sample_variance(values) / n, n }
    }

    fn welch_term(&self) -> f64 {
        self.squared_error.powi(2) / (self.n - 1.0)
    }
}

/// Runs without any variation, as in virtual time.
fn exact(value: f64, n: usize, confidence: f64) -> MeanRatio {
    let is_same = value == 1.0;
    let t = if is_same { 0.0 } else { f64::INFINITY.copysign(value - 1.0) };
    let ratio = Estimate { value, low: value, high: value, n: n as u64, confidence };
    MeanRatio { ratio, t, degrees: n as f64 - 2.0, p_value: if is_same { 1.0 } else { 0.0 } }
}

/// The roots of (y − ρx)² = t² (v_y + ρ² v_x). `None` where the baseline may be 0, because then every
/// large ratio is possible.
fn fieller(from: &Side, to: &Side, critical: f64) -> Option<(f64, f64)> {
    let squared = critical * critical;
    let a = from.mean.powi(2) - squared * from.squared_error;
    let b = from.mean * to.mean;
    let c = to.mean.powi(2) - squared * to.squared_error;
    let root = (b * b - a * c).max(0.0).sqrt();
    (a > 0.0).then(|| (((b - root) / a).max(0.0), (b + root) / a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// HammerDB before and after a change of the storage (contract T-3).
    const TPM_BEFORE: [f64; 3] = [338_989.0, 348_164.0, 336_965.0];
    const TPM_AFTER: [f64; 3] = [386_324.0, 370_919.0, 366_426.0];

    #[test]
    fn worked_example() {
        let found = mean_ratio(&TPM_BEFORE, &TPM_AFTER, 0.95).unwrap();
        assert!((found.ratio.value - 1.0972).abs() < 1e-4, "{found:?}");
        assert!((found.t - 4.78).abs() < 5e-3, "{found:?}");
        assert!((found.degrees - 3.2).abs() < 5e-2, "{found:?}");
        assert!((found.p_value - 0.015).abs() < 5e-4, "{found:?}");
        assert!(found.ratio.low > 1.03 && found.ratio.high < 1.17, "{found:?}");
    }

    #[test]
    fn the_interval_and_the_test_never_disagree() {
        let mut random = SplitMix64::new(7);
        for round in 0..2_000 {
            let n = 3 + round % 8;
            let shift = 1.0 + 0.05 * (round % 3) as f64;
            let mut runs =
                |scale: f64| -> Vec<f64> { (0..n).map(|_| scale * (1.0 + 0.04 * random.normal())).collect() };
            let (a, b) = (runs(1_000.0), runs(1_000.0 * shift));
            let found = mean_ratio(&a, &b, 0.95).unwrap();
            let leaves_out_1 = found.ratio.low > 1.0 || found.ratio.high < 1.0;
            assert!(
                (found.p_value - 0.05).abs() < 1e-6 || leaves_out_1 == (found.p_value < 0.05),
                "{found:?}"
            );
            assert!(found.ratio.low <= found.ratio.value && found.ratio.value <= found.ratio.high);
        }
    }

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says() {
        const TRIALS: u32 = 4_000;
        for (n_a, n_b, noise_b) in [(3, 3, 0.03), (5, 5, 0.03), (10, 10, 0.03), (4, 9, 0.12), (10, 3, 0.01)] {
            let mut random = SplitMix64::new(n_a as u64 * 100 + n_b as u64);
            let mut runs = |n: usize, mean: f64, noise: f64| -> Vec<f64> {
                (0..n).map(|_| mean * (1.0 + noise * random.normal())).collect()
            };
            let holds = |_: &u32| {
                let found = mean_ratio(&runs(n_a, 1.0, 0.03), &runs(n_b, 1.3, noise_b), 0.95).unwrap();
                found.ratio.low <= 1.3 && 1.3 <= found.ratio.high
            };
            let held = f64::from((0..TRIALS).filter(holds).count() as u32) / f64::from(TRIALS);
            assert!(held >= 0.935, "{n_a} against {n_b} runs: {held}");
        }
    }

    #[test]
    fn runs_without_variation() {
        let found = |b: f64| mean_ratio(&[5.0; 3], &[b; 3], 0.95).unwrap();
        assert_eq!((found(5.0).p_value, found(5.0).ratio.low, found(5.0).ratio.high), (1.0, 1.0, 1.0));
        assert_eq!((found(4.0).p_value, found(4.0).ratio.high), (0.0, 0.8));
    }

    #[test]
    fn too_little_is_none() {
        assert_eq!(mean_ratio(&[1.0; 2], &[1.0; 9], 0.95), None);
        assert_eq!(mean_ratio(&[0.0; 3], &[1.0; 3], 0.95), None);
        assert_eq!(mean_ratio(&[1.0; 3], &[f64::NAN; 3], 0.95), None);
        assert_eq!(mean_ratio(&[1.0; 3], &[1.0; 3], 1.0), None);
        // A baseline that may be 0.
        assert_eq!(mean_ratio(&[0.0, 1.0, 0.1], &[1.0, 2.0, 3.0], 0.95), None);
    }
}
