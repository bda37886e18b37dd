//! How strongly a series follows something known, such as time or a step, where neighbours correlate: the slope of
//! the line of `line`.

use crate::line::{lines, mixture, weights};
use crate::student::t_within;

/// With fewer values the correlation and two unknowns would be all that they tell.
const VALUES_MIN: usize = 6;

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
    let lines = lines(&scaled(y, y_mean, y_unit), &scaled(x, x_mean, x_unit))?;
    let slopes: Vec<_> = weights(&lines).into_iter().zip(lines.iter().map(|line| line.slope)).collect();
    let degrees = n as u64 - 2;
    let p_value: f64 = slopes
        .iter()
        .map(|(weight, slope)| weight * (1.0 - t_within(slope.value.abs() / slope.error, degrees)))
        .sum();
    let (value, half_width) = mixture(&slopes, degrees, confidence);
    let unit = y_unit / x_unit;
    Some(Effect { value: value * unit, half_width: half_width * unit, p_value: p_value.clamp(0.0, 1.0) })
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
