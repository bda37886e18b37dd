//! The chi-square distribution: do counts follow what was asked?

use crate::gamma::upper_gamma;

/// The probability that chi-square with `degrees` of freedom is `statistic` or more.
pub fn chi_square_p_value(statistic: f64, degrees: u64) -> f64 {
    upper_gamma(degrees as f64 / 2.0, statistic / 2.0)
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
}
