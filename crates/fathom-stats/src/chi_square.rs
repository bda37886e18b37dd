//! The chi-square distribution: do counts follow what was asked?

use statrs::function::gamma::checked_gamma_ur;

/// The probability that chi-square with `degrees` of freedom is `statistic` or more.
pub fn chi_square_p_value(statistic: f64, degrees: u64) -> f64 {
    if statistic <= 0.0 {
        return 1.0;
    }
    if statistic.is_infinite() {
        return 0.0;
    }
    checked_gamma_ur(degrees as f64 / 2.0, statistic / 2.0).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_published_critical_values() {
        // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4.
        let cases = [
            (3.841, 1, 0.05),
            (6.635, 1, 0.01),
            (5.991, 2, 0.05),
            (11.070, 5, 0.05),
            (18.307, 10, 0.05),
            (23.209, 10, 0.01),
            (43.773, 30, 0.05),
            (124.342, 100, 0.05),
            (3.940, 10, 0.95),
            (77.929, 100, 0.95),
        ];
        for (statistic, degrees, p) in cases {
            let got = chi_square_p_value(statistic, degrees);
            assert!((got / p - 1.0).abs() < 1e-3, "{statistic} df {degrees}: {got}");
        }
    }

    #[test]
    fn two_degrees_are_the_exponential() {
        for x in [0.01, 0.5, 1.0, 1.9, 2.1, 10.0, 100.0] {
            let relative = chi_square_p_value(2.0 * x, 2) / (-x).exp() - 1.0;
            assert!(relative.abs() < 1e-12, "x {x}: {relative}");
        }
    }

    #[test]
    fn even_degrees_are_poisson_sums() {
        // Q(n, x) = e^-x Σ_{k<n} x^k / k!
        for (n, x) in [(3, 0.7), (3, 9.0), (10, 10.0), (40, 35.0), (40, 60.0)] {
            let mut term = f64::exp(-x);
            let mut sum = 0.0;
            for k in 0..n {
                sum += term;
                term *= x / f64::from(k + 1);
            }
            let got = chi_square_p_value(2.0 * x, 2 * u64::from(n as u32));
            assert!((got - sum).abs() < 1e-12, "{n} {x}");
        }
    }

    #[test]
    fn ends_are_certain() {
        assert_eq!(chi_square_p_value(0.0, 5), 1.0);
        assert_eq!(chi_square_p_value(-1.0, 5), 1.0);
        assert_eq!(chi_square_p_value(f64::INFINITY, 5), 0.0);
    }
}
