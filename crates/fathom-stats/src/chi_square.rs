//! Goodness of fit: do the offsets, sizes and mixes that were issued follow what was asked?

use serde::{Deserialize, Serialize};

use crate::gamma::upper_gamma;

/// Cells expected to hold fewer values than this are pooled with their neighbours: below it the
/// statistic no longer follows chi-square (W. G. Cochran, Biometrics 10 (1954) 417-451).
const EXPECTED_MIN: f64 = 5.0;

/// The outcome of a goodness-of-fit test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ChiSquare {
    /// Σ (observed − expected)² / expected; infinite when an impossible category was observed.
    pub statistic: f64,
    /// Degrees of freedom: cells after pooling, less one.
    pub degrees: u64,
    /// Probability of a statistic this large or larger if the expectation is true.
    pub p_value: f64,
}

/// Tests observed counts against expected weights of the same length.
///
/// Weights are scaled to the number observed, so they may be probabilities, percentages or counts.
/// Neighbouring cells are pooled until each expects at least five. `None` when there is nothing to
/// test: the lengths differ, a weight is negative or not finite, or fewer than two cells remain.
pub fn goodness_of_fit(observed: &[u64], weights: &[f64]) -> Option<ChiSquare> {
    let usable = weights.iter().all(|w| w.is_finite() && *w >= 0.0);
    if observed.len() != weights.len() || !usable {
        return None;
    }
    let scale = observed.iter().sum::<u64>() as f64 / weights.iter().sum::<f64>();
    let cells = pooled(observed, weights, scale);
    let degrees = (cells.len() as u64).checked_sub(1).filter(|d| *d > 0)?;
    let impossible = observed.iter().zip(weights).any(|(o, w)| *o > 0 && *w == 0.0);
    let statistic =
        if impossible { f64::INFINITY } else { cells.iter().map(|(o, e)| (o - e).powi(2) / e).sum() };
    Some(ChiSquare { statistic, degrees, p_value: chi_square_p_value(statistic, degrees) })
}

/// The probability that chi-square with `degrees` of freedom is `statistic` or more.
pub fn chi_square_p_value(statistic: f64, degrees: u64) -> f64 {
    upper_gamma(degrees as f64 / 2.0, statistic / 2.0)
}

/// Cells of (observed, expected), joined in order until each expects enough.
fn pooled(observed: &[u64], weights: &[f64], scale: f64) -> Vec<(f64, f64)> {
    let mut cells: Vec<(f64, f64)> = Vec::new();
    let (mut o, mut e) = (0.0, 0.0);
    for (count, weight) in observed.iter().zip(weights) {
        o += *count as f64;
        e += weight * scale;
        if e >= EXPECTED_MIN {
            cells.push((o, e));
            (o, e) = (0.0, 0.0);
        }
    }
    // The last cells expect too little for a cell of their own.
    if let Some(last) = cells.last_mut() {
        last.0 += o;
        last.1 += e;
    }
    cells
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
    fn mendels_peas_fit_nine_three_three_one() {
        // Mendel 1866: 315, 101, 108, 32; the textbook statistic is 0.470 with 3 degrees.
        let fit = goodness_of_fit(&[315, 101, 108, 32], &[9.0, 3.0, 3.0, 1.0]).unwrap();
        assert!((fit.statistic - 0.470).abs() < 1e-3);
        assert_eq!(fit.degrees, 3);
        assert!((fit.p_value - 0.925).abs() < 1e-3);
    }

    #[test]
    fn a_wrong_mix_is_rejected() {
        // 70/30 asked, 50/50 delivered.
        let fit = goodness_of_fit(&[5_000, 5_000], &[0.7, 0.3]).unwrap();
        assert!(fit.p_value < 1e-12);
    }

    #[test]
    fn an_impossible_observation_refutes_at_once() {
        let fit = goodness_of_fit(&[50, 50, 1], &[0.5, 0.5, 0.0]).unwrap();
        assert_eq!((fit.statistic, fit.p_value), (f64::INFINITY, 0.0));
    }

    #[test]
    fn thin_cells_are_pooled() {
        let fit = goodness_of_fit(&[40, 30, 1, 2, 3, 1], &[40.0, 30.0, 2.0, 2.0, 2.0, 1.0]).unwrap();
        assert_eq!(fit.degrees, 2);
    }

    #[test]
    fn nothing_to_test_is_none() {
        assert_eq!(goodness_of_fit(&[], &[]), None);
        assert_eq!(goodness_of_fit(&[1, 2], &[1.0]), None);
        assert_eq!(goodness_of_fit(&[0, 0], &[1.0, 1.0]), None);
        assert_eq!(goodness_of_fit(&[9, 9], &[0.0, 0.0]), None);
        assert_eq!(goodness_of_fit(&[9, 9], &[-1.0, 2.0]), None);
        assert_eq!(goodness_of_fit(&[100], &[1.0]), None);
    }
}
