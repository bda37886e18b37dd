//! Does a series drift? Flat is what lies within a tolerance with confidence, and not what merely has no
//! significant drift: a short and noisy series never has one.

use crate::batch_means::batched;
use crate::effect::effect;
use crate::estimate::{Estimate, mean};

/// The drift of a series over its length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Change from the first value to the last, in the unit of the values.
    pub change: Estimate,
    /// Mean of the series.
    pub mean: f64,
}

impl Trend {
    /// The drift of equally spaced values whose neighbours may correlate. `None` for fewer than six
    /// values, or values not finite.
    pub fn of(values: &[f64], confidence: f64) -> Option<Trend> {
        let (means, _) = batched(values);
        let x: Vec<f64> = (0..means.len()).map(|at| at as f64).collect();
        let slope = effect(&means, &x, confidence)?;
        // Batches stand for all values, so the first and the last one end half a batch further out.
        let length = means.len() as f64;
        let (value, half) = (slope.value * length, slope.half_width * length);
        Some(Trend { change: Estimate::around(value, half, values.len(), confidence), mean: mean(values) })
    }

    /// Is the change at most `tolerance` of the mean, with the confidence of the interval? The test of
    /// equivalence: |k|·L + t·SE(k)·L ≤ δ·mean (D. J. Schuirmann, Journal of Pharmacokinetics and
    /// Biopharmaceutics 15 (1987) 657-680).
    pub fn is_flat_within(&self, tolerance: f64) -> bool {
        let most = self.change.high.abs().max(self.change.low.abs());
        most <= tolerance * self.mean.abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    fn series(n: usize, drift: f64, noise: f64, seed: u64) -> Vec<f64> {
        let mut random = SplitMix64::new(seed);
        (0..n).map(|at| 1_000.0 * (1.0 + drift * at as f64 / n as f64 + noise * random.normal())).collect()
    }

    #[test]
    fn flat_is_said_only_where_it_is_known() {
        assert!(Trend::of(&series(300, 0.0, 0.02, 1), 0.95).unwrap().is_flat_within(0.05));
        // It drifts by 10 %, or it is too short and too noisy to know.
        assert!(!Trend::of(&series(300, 0.10, 0.02, 2), 0.95).unwrap().is_flat_within(0.05));
        assert!(!Trend::of(&series(10, 0.0, 0.10, 3), 0.95).unwrap().is_flat_within(0.05));
        assert_eq!(Trend::of(&[1.0; 5], 0.95), None);
        assert!(Trend::of(&[7.0; 20], 0.95).unwrap().is_flat_within(0.0));
    }

    #[test]
    fn a_drift_at_the_tolerance_is_seldom_called_flat() {
        const TRIALS: u64 = 400;
        let called = (0..TRIALS)
            .filter(|seed| {
                Trend::of(&series(120, 0.05, 0.03, 100 + seed), 0.95).unwrap().is_flat_within(0.05)
            })
            .count();
        assert!(called as f64 <= 0.05 * TRIALS as f64, "{called}");
    }
}
