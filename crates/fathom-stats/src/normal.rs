//! Quantiles of the normal distribution.

use statrs::function::erf::{erfc, erfc_inv};
use std::f64::consts::SQRT_2;

/// The value below which a standard normal variable falls with probability `p`.
/// `None` unless 0 < `p` < 1.
pub fn normal_quantile(p: f64) -> Option<f64> {
    if !(p > 0.0 && p < 1.0) {
        return None;
    }
    Some(-SQRT_2 * erfc_inv(2.0 * p))
}

/// The probability that a standard normal variable is below `z`.
pub fn normal_below(z: f64) -> f64 {
    0.5 * erfc(-z / SQRT_2)
}

/// How many standard deviations on either side of the mean hold `confidence` of a normal
/// distribution: 1.96 for 0.95. `None` unless 0 < `confidence` < 1.
pub fn z_two_sided(confidence: f64) -> Option<f64> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    normal_quantile(0.5 + confidence / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_tables() {
        // Abramowitz & Stegun, table 26.5 and 26.6.
        let cases = [
            (0.5, 0.0),
            (0.841_344_746_068_543, 1.0),
            (0.9, 1.281_551_565_544_6),
            (0.975, 1.959_963_984_540_054),
            (0.995, 2.575_829_303_548_901),
            (0.999_5, 3.290_526_731_491_926),
            (0.025, -1.959_963_984_540_054),
            (1e-6, -4.753_424_308_822_899),
        ];
        for (p, x) in cases {
            assert!((normal_quantile(p).unwrap() - x).abs() < 1e-13, "p {p}");
            assert!((normal_below(x) - p).abs() < 1e-10, "below {x}");
        }
    }

    #[test]
    fn certainty_has_no_quantile() {
        for p in [0.0, 1.0, -1.0, 2.0, f64::NAN] {
            assert_eq!(normal_quantile(p), None);
            assert_eq!(z_two_sided(p), None);
        }
    }
}
