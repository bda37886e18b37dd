//! The mean of an autocorrelated series, with an interval that takes the correlation into account.
//!
//! The rate of one second is similar to that of the second before, so n seconds hold less evidence than
//! n independent values, and the usual interval is far too narrow. There are two corrections.
//! Long series are joined into batches of neighbours, whose means correlate less, and in a simpler
//! way (R. W. Conway 1963; A. M. Law, *Simulation Modeling and Analysis*, 9.5.3). The correlation
//! that remains, or that a short series has from the start, widens the interval: see `correlated`.

use crate::correlated::spread;
use crate::estimate::{Estimate, mean};

/// The number of batches that a long series is joined into. There are up to twice as many, since a
/// batch has a whole number of values. B. Schmeiser, Operations Research 30 (1982) 556-568, finds 10
/// to 30 useful: fewer make the interval wider, more leave forms of correlation that are not modelled.
const BATCHES_WANTED: usize = 30;

/// The batches where little may go wrong, as at one of many looks. Thirty batches cannot exclude a high correlation as
/// surely as that, so the interval of independent values would be several times too wide.
pub(crate) const FINE_BATCHES_WANTED: usize = 100;

/// With fewer values there is no interval at all. Its width would come from the
/// assumptions about the correlation, and hardly from the values.
const VALUES_MIN: usize = 10;

/// A mean by batch means, with the evidence for its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchMeans {
    /// Mean of the whole series; the interval comes from the batches.
    pub estimate: Estimate,
    /// Values joined into one batch.
    pub batch_len: u64,
    /// How many batches there were.
    pub batches: u64,
    /// Expected correlation between neighbouring batches, between 0 and 1.
    pub correlation: f64,
}

impl BatchMeans {
    /// The mean with its interval. `None` for fewer than ten values, or values not finite.
    ///
    /// Simulated coverage of 95 % intervals of first-order autoregressive series, from ten values
    /// on: at least 95 % for a correlation up to 0.7 between neighbours, at least 93 % up to 0.8;
    /// with 0.9 it is 86 % from ten values and 97 % from sixty. The whole table, also of other forms
    /// of correlation, is in `docs/measurement.md`. A short series of a system that changes slowly
    /// cannot show what did not happen in it.
    pub fn of(values: &[f64], confidence: f64) -> Option<Self> {
        Self::joined(values, BATCHES_WANTED, confidence)
    }

    /// The same from about a hundred batches, for a confidence near 1: see the simulations of confident steady state.
    pub fn fine(values: &[f64], confidence: f64) -> Option<Self> {
        Self::joined(values, FINE_BATCHES_WANTED, confidence)
    }

    fn joined(values: &[f64], batches_wanted: usize, confidence: f64) -> Option<Self> {
        if values.len() < VALUES_MIN || values.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let (means, batch_len) = joined(values, batches_wanted);
        let spread = spread(&means, confidence)?;
        Some(Self {
            estimate: Estimate::around(mean(values), spread.half_width, values.len(), confidence),
            batch_len: batch_len as u64,
            batches: means.len() as u64,
            correlation: spread.correlation,
        })
    }
}

impl BatchMeans {
    /// How many independent values would tell as much: n·(1 − r)/(1 + r).
    pub fn effective_values(&self) -> f64 {
        self.batches as f64 * (1.0 - self.correlation) / (1.0 + self.correlation)
    }
}

/// A long series as means of batches, and the values in each.
pub(crate) fn batched(values: &[f64]) -> (Vec<f64>, usize) {
    joined(values, BATCHES_WANTED)
}

/// The same with another number of batches.
pub(crate) fn joined(values: &[f64], batches_wanted: usize) -> (Vec<f64>, usize) {
    let batch_len = (values.len() / batches_wanted).max(1);
    (batch_means(values, batch_len), batch_len)
}

/// Means of consecutive batches. Values that do not fill a batch are left out at the beginning, where
/// the series is least settled.
fn batch_means(values: &[f64], batch_len: usize) -> Vec<f64> {
    let odd = values.len() % batch_len;
    values[odd..].chunks_exact(batch_len).map(mean).collect()
}

impl Estimate {
    /// Mean of a series whose neighbours are similar, such as IOPS per second, with an
    /// interval from [`BatchMeans`]. `None` for fewer than ten values, or values not finite.
    pub fn of_series(values: &[f64], confidence: f64) -> Option<Self> {
        BatchMeans::of(values, confidence).map(|means| means.estimate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// How often the interval holds the truth, and how wide it is on average, compared with that of
    /// independent values.
    fn coverage(rho: f64, n: usize, seed: u64) -> (f64, f64) {
        const TRIALS: usize = 400;
        let mut random = SplitMix64::new(seed);
        let (mut held, mut widths) = (0, 0.0);
        for _ in 0..TRIALS {
            let series = random.autoregressive(rho, n);
            let estimate = BatchMeans::of(&series, 0.95).unwrap().estimate;
            held += usize::from(estimate.low <= 0.0 && 0.0 <= estimate.high);
            let independent = Estimate::of_independent(&series, 0.95).unwrap();
            widths += (estimate.high - estimate.low) / (independent.high - independent.low);
        }
        (held as f64 / TRIALS as f64, widths / TRIALS as f64)
    }

    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        for (rho, seed) in [(0.0, 1), (0.5, 2), (0.9, 3)] {
            let (held, _) = coverage(rho, 600, seed);
            assert!(held >= 0.93, "rho {rho}: {held}");
        }
        // A series of sixty seconds, and of ten: less evidence, but the interval still holds the truth.
        for (rho, n, seed) in [(0.0, 60, 4), (0.5, 60, 5), (0.7, 60, 6), (0.5, 10, 7), (0.7, 10, 8)] {
            let (held, _) = coverage(rho, n, seed);
            assert!(held >= 0.93, "rho {rho}, n {n}: {held}");
        }
    }

    #[test]
    fn independent_values_do_not_pay_too_much() {
        for (n, widest) in [(10, 3.0), (30, 1.5), (60, 1.5), (600, 1.5)] {
            let (_, width) = coverage(0.0, n, 9);
            assert!(width <= widest, "n {n}: {width} times the interval of independent values");
        }
    }

    #[test]
    fn correlation_makes_intervals_wide() {
        let mut random = SplitMix64::new(9);
        let loose = BatchMeans::of(&random.autoregressive(0.0, 2_000), 0.95).unwrap();
        let tight = BatchMeans::of(&random.autoregressive(0.9, 2_000), 0.95).unwrap();
        assert_eq!((loose.batch_len, loose.batches), (66, 30));
        let width = |means: &BatchMeans| means.estimate.high - means.estimate.low;
        assert!(width(&tight) > 3.0 * width(&loose), "{tight:?} {loose:?}");
        assert_eq!((loose.estimate.n, tight.estimate.n), (2_000, 2_000));
    }

    #[test]
    fn a_constant_series_is_certain() {
        let estimate = BatchMeans::of(&[7.0; 30], 0.95).unwrap().estimate;
        assert_eq!((estimate.low, estimate.value, estimate.high), (7.0, 7.0, 7.0));
    }

    #[test]
    fn a_ramp_gets_a_wide_interval() {
        let ramp: Vec<f64> = (0..100).map(f64::from).collect();
        let means = BatchMeans::of(&ramp, 0.95).unwrap();
        assert!(means.estimate.low < 20.0 && means.estimate.high > 80.0, "{means:?}");
    }

    #[test]
    fn odd_values_fall_off_the_front() {
        assert_eq!(batch_means(&[9.0, 1.0, 3.0, 5.0, 7.0], 2), [2.0, 6.0]);
    }

    #[test]
    fn too_little_is_none() {
        assert_eq!(BatchMeans::of(&[1.0; 9], 0.95), None);
        assert_eq!(BatchMeans::of(&[f64::INFINITY; 20], 0.95), None);
        assert_eq!(BatchMeans::of(&[1.0; 20], 0.0), None);
    }
}
