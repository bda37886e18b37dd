//! A straight line y = a + b·x through a series whose neighbours correlate.
//!
//! The error is of first order, and its correlation r of neighbours is not known. As for the mean (see
//! `correlated`), every r between 0 and 0.99 is equally likely beforehand and weighs as much as it explains the
//! values; for each r the line is the one of generalised least squares (S. J. Prais & C. B. Winsten, Cowles
//! Commission Discussion Paper 383, 1954), and its coefficients follow Student's t. Where x is not known either,
//! such as the speed of a transition, each possible x is weighed in the same way.

use crate::correlated::{CORRELATION_MAX, STEPS};
use crate::student::t_within;

/// The search for the half width ends when its relative error is below this.
const PRECISION: f64 = 1e-4;

/// A coefficient of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coefficient {
    pub value: f64,
    /// Its standard error.
    pub error: f64,
}

/// The line with one correlation of neighbours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub correlation: f64,
    /// The logarithm of its likelihood, with line and variance integrated out.
    pub likelihood: f64,
    /// a, the value at x = 0.
    pub level: Coefficient,
    /// b.
    pub slope: Coefficient,
}

/// The lines with all correlations. `None` where `x` does not change.
pub(crate) fn lines(y: &[f64], x: &[f64]) -> Option<Vec<Line>> {
    (0..=STEPS).map(|step| line(y, x, CORRELATION_MAX * step as f64 / STEPS as f64)).collect()
}

/// For one correlation. The values are made independent by taking from each what its neighbour foretells.
fn line(y: &[f64], x: &[f64], r: f64) -> Option<Line> {
    let first = (1.0 - r * r).sqrt();
    let whitened = |of: &[f64], at: usize| if at == 0 { first * of[0] } else { of[at] - r * of[at - 1] };
    // Sums of products of the constant, x and y.
    let (mut cc, mut cx, mut xx, mut cy, mut xy, mut yy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for at in 0..y.len() {
        let constant = if at == 0 { first } else { 1.0 - r };
        let (a, b) = (whitened(x, at), whitened(y, at));
        cc += constant * constant;
        cx += constant * a;
        xx += a * a;
        cy += constant * b;
        xy += a * b;
        yy += b * b;
    }
    let determinant = cc * xx - cx * cx;
    if determinant <= 0.0 {
        return None;
    }
    let slope = (cc * xy - cx * cy) / determinant;
    let level = (cy - cx * slope) / cc;
    // If a series follows one correlation exactly, only rounding errors remain.
    let squares = (yy - level * cy - slope * xy).max(f64::EPSILON * f64::EPSILON);
    let degrees = y.len() as f64 - 2.0;
    let likelihood = (first * first / determinant).ln() / 2.0 - degrees / 2.0 * squares.ln();
    let error = |of: f64| (squares / degrees * of / determinant).sqrt();
    Some(Line {
        correlation: r,
        likelihood,
        level: Coefficient { value: level, error: error(xx) },
        slope: Coefficient { value: slope, error: error(cc) },
    })
}

/// The probability of each line; the sum over all is 1.
pub(crate) fn weights(lines: &[Line]) -> Vec<f64> {
    weights_of(&lines.iter().map(|line| line.likelihood).collect::<Vec<f64>>())
}

/// The probabilities that belong to logarithms of likelihoods; the sum over all is 1.
pub(crate) fn weights_of(likelihoods: &[f64]) -> Vec<f64> {
    let best = likelihoods.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = likelihoods.iter().map(|one| (one - best).exp()).sum();
    likelihoods.iter().map(|one| (one - best).exp() / total).collect()
}

/// The expected value of a coefficient, given with the weights of its lines, and the half width around it that
/// holds `confidence`.
pub(crate) fn mixture(of: &[(f64, Coefficient)], degrees: u64, confidence: f64) -> (f64, f64) {
    let value: f64 = of.iter().map(|(weight, one)| weight * one.value).sum();
    // The probability that Student's t is below x.
    let below = |x: f64| (1.0 + x.signum() * t_within(x.abs(), degrees)) / 2.0;
    let within = |half: f64| -> f64 {
        let one = |(weight, one): &(f64, Coefficient)| {
            let (low, high) =
                ((value - half - one.value) / one.error, (value + half - one.value) / one.error);
            weight * (below(high) - below(low))
        };
        of.iter().map(one).sum()
    };
    let mut high = of.iter().map(|(_, one)| one.error + (one.value - value).abs()).fold(0.0, f64::max);
    while within(high) < confidence && high.is_finite() {
        high *= 2.0;
    }
    let mut low = 0.0;
    while high - low > PRECISION * high {
        let middle = f64::midpoint(low, high);
        if within(middle) < confidence { low = middle } else { high = middle }
    }
    (value, high)
}
