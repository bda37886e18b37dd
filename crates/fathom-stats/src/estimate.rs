//! A value with its interval. This crate gives out every mean in this form.

use crate::student::t_two_sided;

/// Independent values needed for a t-interval. Two would formally be enough, with t = 12.7, but an
/// interval that wide is of no use.
const INDEPENDENT_MIN: usize = 3;

/// A value and the interval that holds the truth with the stated confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The point estimate, in the unit of the data.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// How many values it was made from.
    pub n: u64,
    /// The share of such intervals that hold the truth, between 0 and 1.
    pub confidence: f64,
}

impl Estimate {
    /// Mean of independent values, such as separate runs, with its t-interval. `None` for fewer
    /// than three values, or values that are not finite.
    pub fn of_independent(values: &[f64], confidence: f64) -> Option<Self> {
        if values.len() < INDEPENDENT_MIN || values.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let n = values.len();
        let value = mean(values);
        let half_width = t_two_sided(confidence, n as u64 - 1)? * (sample_variance(values) / n as f64).sqrt();
        Some(Self::around(value, half_width, n, confidence))
    }

    /// Half of the interval as a share of the value; not a number where both are zero.
    pub fn relative_half_width(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.value.abs()
    }

    /// This value with an interval of this half width.
    pub fn around(value: f64, half_width: f64, n: usize, confidence: f64) -> Self {
        Self { value, low: value - half_width, high: value + half_width, n: n as u64, confidence }
    }
}

/// Arithmetic mean; `values` must not be empty.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Variance with n − 1; there must be at least two values.
pub(crate) fn sample_variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    squares / (values.len() - 1) as f64
}

/// The middle value, or the mean of the two middle values. Reorders its argument; `None` when empty.
pub fn median(values: &mut [f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let half = values.len() / 2;
    let even = values.len().is_multiple_of(2);
    let (lower, middle, _) = values.select_nth_unstable_by(half, f64::total_cmp);
    if !even {
        return Some(*middle);
    }
    let below = lower.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Some((below + *middle) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_example() {
        // Mean 5, s = 2.138, t(7) = 2.365: 5 ± 1.787.
        let runs = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        let estimate = Estimate::of_independent(&runs, 0.95).unwrap();
        assert_eq!((estimate.value, estimate.n), (5.0, 8));
        assert!((estimate.low - 3.213).abs() < 2e-3, "{estimate:?}");
        assert!((estimate.high - 6.787).abs() < 2e-3, "{estimate:?}");
    }

    #[test]
    fn too_little_is_none() {
        assert_eq!(Estimate::of_independent(&[1.0, 2.0], 0.95), None);
        assert_eq!(Estimate::of_independent(&[1.0, 2.0, f64::NAN], 0.95), None);
        assert_eq!(Estimate::of_independent(&[1.0, 2.0, 3.0], 1.0), None);
        assert_eq!(Estimate::of_series(&[1.0; 9], 0.95), None);
    }

    #[test]
    fn medians() {
        assert_eq!(median(&mut []), None);
        assert_eq!(median(&mut [3.0]), Some(3.0));
        assert_eq!(median(&mut [9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(&mut [9.0, 1.0, 5.0, 7.0]), Some(6.0));
    }
}
