//! Quantiles and probabilities of Student's t, for intervals from few values.

use crate::normal::normal_quantile;
use statrs::distribution::{ContinuousCDF, StudentsT};
use std::f64::consts::FRAC_PI_2;

/// The half width, in standard errors, that holds `confidence` of Student's t with `degrees` of
/// freedom: 2.228 for 0.95 and 10. `None` without a degree of freedom or unless
/// 0 < `confidence` < 1.
///
/// One and two degrees have closed forms. For more, G. W. Hill, "Algorithm 396: Student's
/// t-quantiles", Communications of the ACM 13 (1970) 619-620: an asymptotic expansion about the
/// normal quantile, and a second one for the far tail. `statrs` 0.19 looks for the quantile by halving: it is wrong by a
/// thousandth for a million degrees, and does not end for more.
pub fn t_two_sided(confidence: f64, degrees: u64) -> Option<f64> {
    if degrees == 0 || !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let outside = 1.0 - confidence;
    match degrees {
        1 => Some((FRAC_PI_2 * outside).tan().recip()),
        2 => Some((2.0 / (outside * (2.0 - outside)) - 2.0).sqrt()),
        _ => hill(outside, degrees as f64),
    }
}

/// The probability that Student's t with `degrees` of freedom lies between −`t` and `t`; 0 for a
/// `t` that is not positive.
pub(crate) fn t_within(t: f64, degrees: u64) -> f64 {
    match StudentsT::new(0.0, 1.0, degrees as f64) {
        Ok(distribution) if t > 0.0 => 1.0 - 2.0 * distribution.sf(t),
        _ => 0.0,
    }
}

/// Hill's expansion; `outside` is the probability of both tails together.
fn hill(outside: f64, n: f64) -> Option<f64> {
    let a = 1.0 / (n - 0.5);
    let b = 48.0 / (a * a);
    let c = ((20_700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * FRAC_PI_2).sqrt() * n;
    let y = (d * outside).powf(2.0 / n);
    let squared = if y > 0.05 + a {
        let x = normal_quantile(outside / 2.0)?;
        near_normal(x, n, [a, b, c, d])
    } else {
        far_tail(y, n, d)
    };
    Some((n * squared).sqrt())
}

/// t²/n where the normal quantile `x` (negative) is a good start.
fn near_normal(x: f64, n: f64, [a, b, c, d]: [f64; 4]) -> f64 {
    let y = x * x;
    let c = if n < 5.0 { c + 0.3 * (n - 4.5) * (x + 0.6) } else { c };
    let c = (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b + c;
    let y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x;
    (a * y * y).exp_m1()
}

/// t²/n where the tail is so thin that it follows the power law.
fn far_tail(y: f64, n: f64, d: f64) -> f64 {
    let correction = ((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0;
    ((1.0 / correction + 0.5 / (n + 4.0)) * y - 1.0) * (n + 1.0) / (n + 2.0) + 1.0 / y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_tables() {
        // Fisher & Yates, Statistical Tables, table III (two-sided).
        let cases = [
            (0.95, 1, 12.706_2),
            (0.95, 2, 4.302_65),
            (0.95, 3, 3.182_45),
            (0.95, 4, 2.776_45),
            (0.95, 5, 2.570_58),
            (0.95, 10, 2.228_14),
            (0.95, 19, 2.093_02),
            (0.95, 30, 2.042_27),
            (0.95, 100, 1.983_97),
            (0.90, 10, 1.812_46),
            (0.99, 3, 5.840_91),
            (0.99, 5, 4.032_14),
            (0.99, 30, 2.750_00),
            (0.999, 10, 4.586_89),
        ];
        for (confidence, degrees, table) in cases {
            let t = t_two_sided(confidence, degrees).unwrap();
            assert!((t / table - 1.0).abs() < 0.001, "{confidence} df {degrees}: {t} for {table}");
        }
    }

    #[test]
    fn probability_is_the_inverse_of_the_quantile() {
        for degrees in [1, 2, 3, 4, 5, 9, 10, 29, 58, 59] {
            for confidence in [0.1, 0.5, 0.9, 0.95, 0.999] {
                let t = t_two_sided(confidence, degrees).unwrap();
                let within = t_within(t, degrees);
                assert!((within - confidence).abs() < 5e-4, "{confidence} df {degrees}: {within}");
            }
        }
        assert_eq!((t_within(0.0, 5), t_within(-1.0, 5), t_within(f64::NAN, 5)), (0.0, 0.0, 0.0));
    }

    #[test]
    fn tends_to_the_normal() {
        let t = t_two_sided(0.95, 1_000_000_000).unwrap();
        assert!((t - 1.959_964).abs() < 1e-5, "{t}");
    }

    #[test]
    fn shrinks_with_every_degree() {
        for confidence in [0.5, 0.8, 0.95, 0.999] {
            let widths: Vec<f64> =
                (1..200).map(|degrees| t_two_sided(confidence, degrees).unwrap()).collect();
            assert!(widths.windows(2).all(|pair| pair[1] < pair[0]));
        }
    }

    #[test]
    fn needs_a_degree_of_freedom() {
        assert_eq!(t_two_sided(0.95, 0), None);
        assert_eq!(t_two_sided(1.0, 5), None);
    }
}
