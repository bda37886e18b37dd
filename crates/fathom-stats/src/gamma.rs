//! The incomplete gamma function, for chi-square probabilities.

/// Natural logarithm of the gamma function for positive `x`.
///
/// Stirling's series (NIST DLMF 5.11.1) after the recurrence has raised the argument to 15, where
/// five terms leave an error below 1e-15.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    let mut x = x;
    let mut lifted = 1.0;
    while x < 15.0 {
        lifted *= x;
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    let series =
        (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1_260.0 - r * (1.0 / 1_680.0 - r / 1_188.0)))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - lifted.ln()
}

/// The regularised upper incomplete gamma function Q(a, x), for positive `a` and `x >= 0`:
/// the share of a gamma(a) distribution above `x`.
///
/// The power series converges fast for `x` below a + 1, the continued fraction above.
pub(crate) fn upper_gamma(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    if x.is_infinite() {
        return 0.0;
    }
    let scale = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        (1.0 - scale * lower_series(a, x)).clamp(0.0, 1.0)
    } else {
        (scale * upper_fraction(a, x)).clamp(0.0, 1.0)
    }
}

/// Σ xⁿ / (a(a+1)…(a+n)): NIST DLMF 8.7.1.
fn lower_series(a: f64, x: f64) -> f64 {
    let mut term = 1.0 / a;
    let mut sum = term;
    let mut denominator = a;
    while term > sum * f64::EPSILON {
        denominator += 1.0;
        term *= x / denominator;
        sum += term;
    }
    sum
}

/// The continued fraction NIST DLMF 8.9.2 in its even form, by Lentz's method as modified by
/// Thompson & Barnett (Journal of Computational Physics 64 (1986) 490-509).
fn upper_fraction(a: f64, x: f64) -> f64 {
    // Enough for a in the millions: convergence takes some multiple of sqrt(a) steps.
    const STEPS: u32 = 100_000;
    let tiny = f64::MIN_POSITIVE / f64::EPSILON;
    let away_from_zero = |v: f64| if v.abs() < tiny { tiny } else { v };
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / tiny;
    let mut d = 1.0 / away_from_zero(b);
    let mut fraction = d;
    for step in 1..STEPS {
        let n = f64::from(step);
        let numerator = -n * (n - a);
        b += 2.0;
        d = 1.0 / away_from_zero(numerator * d + b);
        c = away_from_zero(b + numerator / c);
        fraction *= c * d;
        if (c * d - 1.0).abs() < 4.0 * f64::EPSILON {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ln_gamma_meets_factorials_and_the_half() {
        let mut factorial = 1.0_f64;
        for n in 1..100 {
            assert!((ln_gamma(f64::from(n)) - factorial.ln()).abs() < 1e-12 * factorial.ln().max(1.0));
            factorial *= f64::from(n);
        }
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-13);
    }

    #[test]
    fn one_is_the_exponential() {
        for x in [0.01, 0.5, 1.0, 1.9, 2.1, 10.0, 100.0] {
            let relative = upper_gamma(1.0, x) / (-x).exp() - 1.0;
            assert!(relative.abs() < 1e-12, "x {x}: {relative}");
        }
    }

    #[test]
    fn whole_numbers_are_poisson_sums() {
        // Q(n, x) = e^-x Σ_{k<n} x^k / k!
        for (n, x) in [(3, 0.7), (3, 9.0), (10, 10.0), (40, 35.0), (40, 60.0)] {
            let mut term = f64::exp(-x);
            let mut sum = 0.0;
            for k in 0..n {
                sum += term;
                term *= x / f64::from(k + 1);
            }
            assert!((upper_gamma(f64::from(n), x) - sum).abs() < 1e-12, "{n} {x}");
        }
    }

    #[test]
    fn ends_are_certain() {
        assert_eq!(upper_gamma(2.5, 0.0), 1.0);
        assert_eq!(upper_gamma(2.5, f64::INFINITY), 0.0);
    }
}
