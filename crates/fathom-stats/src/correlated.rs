//! The mean of a few values that are similar to their neighbours: how far it may be from the truth.
//!
//! Ten seconds of rates are too few to show how strongly neighbouring seconds correlate. The
//! correlation that one computes from them is far too low (M. G. Kendall, Biometrika 41
//! (1954) 403-404), and an interval based on it holds the truth in 60 to 80 % of cases. So no
//! single correlation is chosen here. Every correlation between 0 and 0.99 is taken as equally
//! likely beforehand, each is weighted by how well it explains the values, and the interval is that
//! of the mixture (G. E. P. Box & G. C. Tiao, *Bayesian Inference in Statistical Analysis*, 2.4 and
//! 8.5, for a series of first order with a flat prior of its mean and of the logarithm of its
//! variance). Where there are many values, they decide; where there are few, the interval is wide.

use crate::student::{t_two_sided, t_within};

/// The largest correlation of neighbours that is considered. Near 1 a series hardly has a mean.
pub(crate) const CORRELATION_MAX: f64 = 0.99;

/// Steps from a correlation of 0 to the largest; each end is tried too. Simulated coverage does not
/// change with more.
pub(crate) const STEPS: usize = 33;

/// Weights below this share of the whole do not change a visible digit of the interval.
const NEGLIGIBLE: f64 = 1e-5;

/// The search for the half width ends when its relative error is below this.
const PRECISION: f64 = 1e-4;

/// What the values say about their mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    /// Half the width of the interval around the mean.
    pub half_width: f64,
    /// Expected correlation of neighbours.
    pub correlation: f64,
}

/// One possible correlation of neighbours, and how well the values agree with it.
struct Hypothesis {
    correlation: f64,
    /// Probability of this correlation; the sum over all is 1.
    weight: f64,
    /// Standard error of the mean with this correlation.
    error: f64,
}

/// The spread of the mean of at least three finite values; `None` unless 0 < `confidence` < 1.
pub(crate) fn spread(values: &[f64], confidence: f64) -> Option<Spread> {
    let degrees = (values.len() as u64).checked_sub(1).filter(|degrees| *degrees > 1)?;
    let t = t_two_sided(confidence, degrees)?;
    let mean = crate::estimate::mean(values);
    let farthest = values.iter().map(|v| (v - mean).abs()).fold(0.0, f64::max);
    if farthest == 0.0 {
        return Some(Spread { half_width: 0.0, correlation: 0.0 });
    }
    // In units of the largest deviation, so that no square is too large or too small for a double.
    let sums = Sums::of(&values.iter().map(|v| (v - mean) / farthest).collect::<Vec<f64>>());
    let hypotheses = weighed(&sums);
    let least = hypotheses.iter().map(|one| one.error).fold(f64::INFINITY, f64::min);
    let most = hypotheses.iter().map(|one| one.error).fold(0.0, f64::max);
    let within = |half_width: f64| -> f64 {
        hypotheses.iter().map(|one| one.weight * t_within(half_width / one.error, degrees)).sum()
    };
    // The width of the mixture lies between those of its narrowest and its widest part.
    let (mut low, mut high) = (t * least, t * most);
    while high > low * (1.0 + PRECISION) {
        let middle = (low * high).sqrt();
        if within(middle) < confidence { low = middle } else { high = middle }
    }
    let correlation = hypotheses.iter().map(|one| one.weight * one.correlation).sum();
    Some(Spread { half_width: high * farthest, correlation })
}

/// The sums of deviations from the mean that the likelihood needs.
struct Sums {
    n: f64,
    /// Σ d².
    squares: f64,
    /// Σ d·d over pairs of neighbours.
    products: f64,
    /// Sum of the squares of the first and the last deviation.
    end_squares: f64,
    /// Sum of the first and the last deviation.
    ends: f64,
}

impl Sums {
    fn of(deviations: &[f64]) -> Self {
        let (first, last) = (deviations[0], deviations[deviations.len() - 1]);
        Self {
            n: deviations.len() as f64,
            squares: deviations.iter().map(|d| d * d).sum(),
            products: deviations.windows(2).map(|pair| pair[0] * pair[1]).sum(),
            end_squares: first * first + last * last,
            ends: first + last,
        }
    }

    /// For one correlation r: the logarithm of its likelihood, with mean and variance integrated
    /// out, and the standard error of the mean.
    ///
    /// The inverse of the matrix of correlations, times 1 − r², has 1 at the ends of its diagonal,
    /// 1 + r² between them and −r next to it. Its sum is `information`; the other two sums follow.
    fn judge(&self, r: f64) -> (f64, f64) {
        let information = 2.0 * (1.0 - r) + (self.n - 2.0) * (1.0 - r).powi(2);
        let offset = r * (1.0 - r) * self.ends;
        let squares = (1.0 + r * r) * self.squares
            - r * r * self.end_squares
            - 2.0 * r * self.products
            - offset * offset / information;
        // If a series follows one correlation exactly, only rounding errors remain.
        let squares = squares.max(f64::EPSILON * f64::EPSILON);
        let degrees = self.n - 1.0;
        let likelihood = ((1.0 - r * r) / information).ln() / 2.0 - degrees / 2.0 * squares.ln();
        (likelihood, (squares / degrees / information).sqrt())
    }
}

/// All correlations that the values do not rule out, with their probabilities.
fn weighed(sums: &Sums) -> Vec<Hypothesis> {
    let correlations = (0..=STEPS).map(|step| CORRELATION_MAX * step as f64 / STEPS as f64);
    let judged: Vec<(f64, f64, f64)> = correlations
        .map(|r| {
            let (likelihood, error) = sums.judge(r);
            (r, likelihood, error)
        })
        .collect();
    let best = judged.iter().map(|one| one.1).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = judged.iter().map(|one| (one.1 - best).exp()).sum();
    judged
        .into_iter()
        .map(|(correlation, likelihood, error)| Hypothesis {
            correlation,
            weight: (likelihood - best).exp() / total,
            error,
        })
        .filter(|one| one.weight > NEGLIGIBLE)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn many_values_tell_their_correlation_and_the_interval_follows_the_theory() {
        for r in [0.0, 0.5, 0.9] {
            let n = 4_000;
            let values = SplitMix64::new(5).autoregressive(r, n);
            let spread = spread(&values, 0.95).unwrap();
            let theory = 1.96 * ((1.0 + r) / (1.0 - r) / n as f64).sqrt();
            assert!((spread.correlation - r).abs() < 0.04, "{r}: {spread:?}");
            assert!((spread.half_width / theory - 1.0).abs() < 0.15, "{r}: {spread:?}, theory {theory}");
        }
    }

    #[test]
    fn few_values_leave_the_correlation_open() {
        // Ten values that alternate: nothing suggests that they are correlated, and the interval is
        // still wider than that of ten independent values.
        let values = [1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 0.2, -0.2, 0.8, -0.8];
        let spread = spread(&values, 0.95).unwrap();
        let independent = crate::Estimate::of_independent(&values, 0.95).unwrap().high;
        let ratio = spread.half_width / independent;
        assert!((1.0..2.5).contains(&ratio) && spread.correlation < 0.3, "{ratio} {spread:?}");
    }

    #[test]
    fn the_unit_and_the_level_do_not_matter() {
        let values = [1.0, 2.0, 4.0, 3.0, 5.0, 4.0, 2.0, 3.0, 1.0, 2.0];
        let half_width = |values: [f64; 10]| spread(&values, 0.95).unwrap().half_width;
        let plain = half_width(values);
        assert!((half_width(values.map(|v| 1e6 + 1000.0 * v)) / plain / 1e3 - 1.0).abs() < 1e-6);
        assert!((half_width(values.map(|v| v * 1e-300)) / plain / 1e-300 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn limits() {
        assert_eq!(spread(&[7.0; 10], 0.95), Some(Spread { half_width: 0.0, correlation: 0.0 }));
        assert_eq!(spread(&[1.0, 2.0], 0.95), None);
        assert_eq!(spread(&[1.0, 2.0, 4.0], 1.0), None);
    }
}
