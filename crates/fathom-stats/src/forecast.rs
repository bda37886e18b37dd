//! The level of a series after its end, with an interval.
//!
//! The mean of a minute may be known to a thousandth and say nothing of the next minute. What a series does next is
//! known as far as it can be continued: here by a parabola, so that a drift and the crest of a slow wave count, and
//! by the correlation of its neighbours. Neither is known, so every correlation is weighed by how well it explains
//! the values, as in `line`, and the coefficients of the parabola follow Student's t. The further the forecast reaches
//! compared with what was seen, the wider its interval is: it grows with the square.

use crate::batch_means::joined;
use crate::correlated::{CORRELATION_MAX, STEPS};
use crate::estimate::{Estimate, mean};
use crate::line::{Coefficient, mixture, weights_of};

/// The batches that a long series is joined into, up to twice as many. Simulated with series of confident steady state: 30 take half
/// as long again to a stop, and 100 never see the end of a wave of a minute.
const BATCHES_WANTED: usize = 60;

/// The fewest batches that are continued: a parabola and the correlation are unknown.
const BATCHES_MIN: usize = 20;

/// Level, slope and curvature.
const TERMS: usize = 3;

/// The mean of the `ahead` values that will follow equally spaced values whose neighbours may correlate, if they go on as
/// they do. The interval holds that mean with this confidence. `None` for fewer than twenty values, values not finite,
/// nothing ahead, or unless 0 < `confidence` < 1.
pub fn forecast(values: &[f64], ahead: f64, confidence: f64) -> Option<Estimate> {
    let is_possible = confidence > 0.0 && confidence < 1.0 && ahead > 0.0 && ahead.is_finite();
    if values.len() < BATCHES_MIN || !is_possible || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let (means, length) = joined(values, BATCHES_WANTED);
    let center = mean(&means);
    let unit = means.iter().map(|value| (value - center).abs()).fold(0.0, f64::max);
    if unit == 0.0 {
        return Some(Estimate::around(center, 0.0, values.len(), confidence));
    }
    let y: Vec<f64> = means.iter().map(|value| (value - center) / unit).collect();
    let possible = (0..=STEPS).map(|step| continued(&y, ahead / length as f64, correlation(step)));
    let (likelihoods, means_ahead): (Vec<f64>, Vec<Coefficient>) = possible.flatten().unzip();
    let weighed: Vec<_> = weights_of(&likelihoods).into_iter().zip(means_ahead).collect();
    let degrees = (y.len() - TERMS) as u64;
    let (value, half_width) = mixture(&weighed, degrees, confidence);
    Some(Estimate::around(center + value * unit, half_width * unit, values.len(), confidence))
}

/// How many times as long a flat series must be for a forecast whose half width is this share of what it is now. Its noise is
/// taken for independent, so correlated series must be longer.
pub fn times_longer(values: usize, ahead: f64, share: f64) -> f64 {
    let error = |n: f64| {
        let [level, slope, curvature] = wanted(ahead, n);
        ((level + 3.0 * slope.powi(2) + 5.0 * curvature.powi(2)) / n + 1.0 / ahead.max(1.0)).sqrt()
    };
    let (n, now) = (values as f64, error(values as f64));
    let steps = std::iter::successors(Some(1.0), |times| Some(times * STEP)).take(STEPS_MAX);
    steps.into_iter().find(|times| error(n * times) <= now * share).unwrap_or(f64::INFINITY)
}

/// The precision of [`times_longer`], and where it gives up: at a thousand times the length.
const STEP: f64 = 1.05;
const STEPS_MAX: usize = 142;

/// The means of Legendre's polynomials over what follows, if the series lies between −1 and 1.
fn wanted(ahead: f64, n: f64) -> [f64; TERMS] {
    let end = 1.0 + 2.0 * ahead / n;
    [1.0, f64::midpoint(1.0, end), end * (end + 1.0) / 2.0]
}

fn correlation(step: usize) -> f64 {
    CORRELATION_MAX * step as f64 / STEPS as f64
}

/// For one correlation: the logarithm of its likelihood, and the mean of the `ahead` values that follow.
fn continued(y: &[f64], ahead: f64, r: f64) -> Option<(f64, Coefficient)> {
    let first = (1.0 - r * r).sqrt();
    let n = y.len() as f64;
    // Level, slope and curvature are Legendre's polynomials over −1 … 1, which hardly depend on each other.
    let terms = |at: usize| {
        let u = (2.0 * at as f64 + 1.0) / n - 1.0;
        [1.0, u, (3.0 * u * u - 1.0) / 2.0]
    };
    let (mut products, mut with_y, mut squares) = ([[0.0; TERMS]; TERMS], [0.0; TERMS], 0.0);
    let mut before = ([0.0; TERMS], 0.0);
    for (at, value) in y.iter().enumerate() {
        let now = (terms(at), *value);
        let whitened = |now: f64, before: f64| if at == 0 { first * now } else { now - r * before };
        let x: [f64; TERMS] = std::array::from_fn(|term| whitened(now.0[term], before.0[term]));
        let y = whitened(now.1, before.1);
        for row in 0..TERMS {
            (0..TERMS).for_each(|column| products[row][column] += x[row] * x[column]);
            with_y[row] += x[row] * y;
        }
        squares += y * y;
        before = now;
    }
    let (inverse, determinant) = inverted(&products)?;
    let times = |vector: &[f64; TERMS]| -> [f64; TERMS] {
        std::array::from_fn(|row| (0..TERMS).map(|column| inverse[row][column] * vector[column]).sum())
    };
    let dot =
        |one: &[f64; TERMS], other: &[f64; TERMS]| -> f64 { one.iter().zip(other).map(|(a, b)| a * b).sum() };
    let fitted = times(&with_y);
    // If a series follows one correlation exactly, only rounding errors remain.
    let squares = (squares - dot(&fitted, &with_y)).max(f64::EPSILON * f64::EPSILON);
    let degrees = n - TERMS as f64;
    let likelihood = (first * first / determinant).ln() / 2.0 - degrees / 2.0 * squares.ln();
    let wanted = wanted(ahead, n);
    let variance = squares / degrees;
    let error = variance * dot(&wanted, &times(&wanted)) + variance / (1.0 - r * r) * of_mean(r, ahead);
    Some((likelihood, Coefficient { value: dot(&wanted, &fitted), error: error.sqrt() }))
}

/// The variance of the mean of `n` values whose neighbours correlate by `r`, as a share of the variance of one.
fn of_mean(r: f64, n: f64) -> f64 {
    if n <= 1.0 {
        return 1.0;
    }
    ((1.0 + r) / (1.0 - r) - 2.0 * r * (1.0 - r.powf(n)) / (n * (1.0 - r).powi(2))) / n
}

/// The inverse of a symmetric matrix and its determinant, by cofactors; `None` where it has none.
fn inverted(of: &[[f64; TERMS]; TERMS]) -> Option<([[f64; TERMS]; TERMS], f64)> {
    let minor = |row: usize, column: usize| {
        let [a, b] = [(row + 1) % TERMS, (row + 2) % TERMS];
        let [c, d] = [(column + 1) % TERMS, (column + 2) % TERMS];
        of[a][c] * of[b][d] - of[a][d] * of[b][c]
    };
    let determinant: f64 = (0..TERMS).map(|column| of[0][column] * minor(0, column)).sum();
    let inverse = std::array::from_fn(|row| std::array::from_fn(|column| minor(column, row) / determinant));
    (determinant > 0.0).then_some((inverse, determinant))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// How often the interval holds the mean of the next values of a parabola with noise.
    fn held(n: usize, ahead: usize, rho: f64) -> f64 {
        const TRIALS: u64 = 200;
        let holds = |seed: &u64| {
            let noise = SplitMix64::new(100 + seed).autoregressive(rho, n + ahead);
            let of = |t: f64| 100.0 + 3.0 * t - 2.0 * t * t;
            let values: Vec<f64> =
                noise.iter().enumerate().map(|(at, noise)| of(at as f64 / n as f64) + noise).collect();
            let next = mean(&values[n..]);
            let found = forecast(&values[..n], ahead as f64, 0.95).unwrap();
            found.low <= next && next <= found.high
        };
        (0..TRIALS).filter(holds).count() as f64 / TRIALS as f64
    }

    #[test]
    fn the_interval_holds_the_mean_of_what_follows() {
        for (n, ahead, rho) in
            [(60, 30, 0.0), (120, 240, 0.0), (300, 100, 0.5), (600, 300, 0.8), (900, 300, 0.9)]
        {
            let held = held(n, ahead, rho);
            assert!(held >= 0.93, "n {n}, ahead {ahead}, rho {rho}: {held}");
        }
    }

    #[test]
    fn the_further_it_reaches_the_wider_it_is() {
        let noise = SplitMix64::new(3).autoregressive(0.0, 300);
        let width = |ahead: f64| {
            let found = forecast(&noise, ahead, 0.95).unwrap();
            found.high - found.low
        };
        assert!(width(600.0) > 3.0 * width(150.0), "{} {}", width(600.0), width(150.0));
        // Half as wide at the time that was said, within the noise of the estimate.
        let times = times_longer(300, 600.0, 0.5);
        let longer = SplitMix64::new(3).autoregressive(0.0, (300.0 * times) as usize);
        let longer = forecast(&longer, 600.0, 0.95).unwrap();
        let share = (longer.high - longer.low) / width(600.0);
        assert!((1.3..1.9).contains(&times) && (0.35..0.65).contains(&share), "{times} {share}");
    }

    #[test]
    fn limits() {
        let constant = forecast(&[7.0; 20], 600.0, 0.95).unwrap();
        assert_eq!((constant.low, constant.high), (7.0, 7.0));
        assert_eq!(forecast(&[7.0; 19], 600.0, 0.95), None);
        assert_eq!(forecast(&[f64::NAN; 30], 600.0, 0.95), None);
        assert_eq!(forecast(&[7.0; 30], 0.0, 0.95), None);
        let line: Vec<f64> = (0..100).map(f64::from).collect();
        assert!((forecast(&line, 100.0, 0.95).unwrap().value - 149.5).abs() < 1e-6);
    }
}
