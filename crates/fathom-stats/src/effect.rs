//! How strongly a series follows something known, such as time or a step, where neighbours correlate.
//!
//! The model is y = a + b·x with an error of first order, whose correlation r of neighbours is not
//! known. As for the mean (see `correlated`), every r between 0 and 0.99 is equally likely beforehand and
//! weighs as much as it explains the values; for each r the line is the one of generalised least squares
//! (S. J. Prais & C. B. Winsten, Cowles Commission Discussion Paper 383, 1954), and its slope follows
//! Student's t. What is reported is the mixture.

use crate::correlated::{CORRELATION_MAX, STEPS};
use crate::student::t_within;

/// With fewer values the correlation and two unknowns would be all that they tell.
const VALUES_MIN: usize = 6;

/// The search for the half width ends when its relative error is below this.
const PRECISION: f64 = 1e-4;

/// The coefficient b of a series, in units of y for each unit of x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Effect {
    /// Its expected value.
    pub value: f64,
    /// Half the width of its interval.
    pub half_width: f64,
    /// The probability of a value at least as far from 0, if there were no effect.
    pub p_value: f64,
}

/// One possible correlation of neighbours.
struct Hypothesis {
    weight: f64,
    value: f64,
    error: f64,
}

/// The effect of `x` on `y`. `None` for fewer than six values, values not finite, or an `x` that never
/// changes.
pub(crate) fn effect(y: &[f64], x: &[f64], confidence: f64) -> Option<Effect> {
    let n = y.len();
    let is_possible = confidence > 0.0 && confidence < 1.0;
    if n < VALUES_MIN || n != x.len() || !is_possible || y.iter().chain(x).any(|v| !v.is_finite()) {
        return None;
    }
    let (y_mean, x_mean) = (crate::estimate::mean(y), crate::estimate::mean(x));
    let farthest = |of: &[f64], mean: f64| of.iter().map(|v| (v - mean).abs()).fold(0.0, f64::max);
    let (y_unit, x_unit) = (farthest(y, y_mean), farthest(x, x_mean));
    if x_unit == 0.0 {
        return None;
    }
    if y_unit == 0.0 {
        return Some(Effect { value: 0.0, half_width: 0.0, p_value: 1.0 });
    }
    let scaled =
        |of: &[f64], mean: f64, unit: f64| -> Vec<f64> { of.iter().map(|v| (v - mean) / unit).collect() };
    let hypotheses = weighed(&scaled(y, y_mean, y_unit), &scaled(x, x_mean, x_unit))?;
    let degrees = n as u64 - 2;
    let value: f64 = hypotheses.iter().map(|one| one.weight * one.value).sum();
    let p_value = hypotheses
        .iter()
        .map(|one| one.weight * (1.0 - t_within(one.value.abs() / one.error, degrees)))
        .sum::<f64>();
    let half_width = half_width(&hypotheses, value, degrees, confidence);
    let unit = y_unit / x_unit;
    Some(Effect { value: value * unit, half_width: half_width * unit, p_value: p_value.clamp(0.0, 1.0) })
}

/// The half width around `value` that holds the confidence of the mixture.
fn half_width(hypotheses: &[Hypothesis], value: f64, degrees: u64, confidence: f64) -> f64 {
    // The probability that Student's t is below x.
    let below = |x: f64| (1.0 + x.signum() * t_within(x.abs(), degrees)) / 2.0;
    let within = |half: f64| -> f64 {
        let one = |h: &Hypothesis| {
            let (low, high) = ((value - half - h.value) / h.error, (value + half - h.value) / h.error);
            h.weight * (below(high) - below(low))
        };
        hypotheses.iter().map(one).sum()
    };
    let mut high = hypotheses.iter().map(|h| h.error + (h.value - value).abs()).fold(0.0, f64::max);
    while within(high) < confidence && high.is_finite() {
        high *= 2.0;
    }
    let mut low = 0.0;
    while high - low > PRECISION * high {
        let middle = f64::midpoint(low, high);
        if within(middle) < confidence { low = middle } else { high = middle }
    }
    high
}

/// The slope with each correlation, and how likely the correlation is.
fn weighed(y: &[f64], x: &[f64]) -> Option<Vec<Hypothesis>> {
    let correlations = (0..=STEPS).map(|step| CORRELATION_MAX * step as f64 / STEPS as f64);
    let judged: Option<Vec<(f64, Hypothesis)>> = correlations.map(|r| judge(y, x, r)).collect();
    let mut judged = judged?;
    let best = judged.iter().map(|(likelihood, _)| *likelihood).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = judged.iter().map(|(likelihood, _)| (likelihood - best).exp()).sum();
    for (likelihood, hypothesis) in &mut judged {
        hypothesis.weight = (*likelihood - best).exp() / total;
    }
    Some(judged.into_iter().map(|(_, hypothesis)| hypothesis).collect())
}

/// For one correlation: the logarithm of its likelihood, with line and variance integrated out, and the
/// slope with its standard error. The values are made independent by taking from each what its
/// neighbour foretells.
fn judge(y: &[f64], x: &[f64], r: f64) -> Option<(f64, Hypothesis)> {
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
    let error = (squares / degrees * cc / determinant).sqrt();
    Some((likelihood, Hypothesis { weight: 0.0, value: slope, error }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    fn line(n: usize) -> Vec<f64> {
        (0..n).map(|at| at as f64).collect()
    }

    #[test]
    fn independent_values_give_the_slope_of_the_textbook() {
        // N. R. Draper & H. Smith, Applied Regression Analysis: the slope of least squares.
        let y = [1.1, 1.9, 3.2, 3.8, 5.1, 6.0, 6.8, 8.1];
        let found = effect(&y, &line(8), 0.95).unwrap();
        assert!((found.value - 0.99).abs() < 0.03 && found.p_value < 1e-4, "{found:?}");
        assert_eq!(effect(&[4.0; 8], &line(8), 0.95).unwrap().p_value, 1.0);
        assert_eq!(effect(&y, &[1.0; 8], 0.95), None);
        assert_eq!(effect(&y[..5], &line(5), 0.95), None);
    }

    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        const TRIALS: u32 = 500;
        for (rho, n) in [(0.0, 20), (0.5, 30), (0.8, 30), (0.9, 60)] {
            let mut random = SplitMix64::new(n as u64);
            let x = line(n);
            let holds = |_: &u32| {
                let noise = random.autoregressive(rho, n);
                let y: Vec<f64> = noise.iter().zip(&x).map(|(noise, x)| 0.3 * x + noise).collect();
                let found = effect(&y, &x, 0.95).unwrap();
                (found.value - 0.3).abs() <= found.half_width
            };
            let held = (0..TRIALS).filter(holds).count() as f64 / f64::from(TRIALS);
            assert!(held >= 0.93, "rho {rho}, n {n}: {held}");
        }
    }

    #[test]
    fn the_units_do_not_matter() {
        let y = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        let plain = effect(&y, &line(8), 0.95).unwrap();
        let far = effect(&y.map(|v| 1e7 + 1e-3 * v), &line(8), 0.95).unwrap();
        assert!((far.value / plain.value * 1e3 - 1.0).abs() < 1e-5);
        assert!((far.p_value - plain.p_value).abs() < 1e-5);
    }
}
