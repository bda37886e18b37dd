//! Where a series has left its warm-up: MSER-5.

use crate::estimate::mean;

/// Values that are joined before the search.
const JOINED: usize = 5;

/// The part of a series that is left out as its warm-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarmUp {
    /// Values at the beginning that are left out.
    pub values: usize,
    /// Whether at least half of the series remains. Otherwise it had not settled.
    pub is_settled: bool,
}

impl WarmUp {
    /// The cut after which the standard error of the mean is smallest (K. P. White, Simulation 69 (1997)
    /// 323-334; batches of five: K. P. White, M. J. Cobb & S. C. Spratt, Winter Simulation Conference 2000).
    /// `None` for fewer than ten values, or values not finite.
    pub fn of(values: &[f64]) -> Option<WarmUp> {
        if values.len() < 2 * JOINED || values.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let batches: Vec<f64> = values.chunks_exact(JOINED).map(mean).collect();
        let level = mean(&batches);
        // From the end, so that each cut adds one value to the sums; around the mean, so that they are exact.
        let (mut sum, mut squares) = (0.0, 0.0);
        let mut best = (f64::INFINITY, 0);
        for (at, value) in batches.iter().enumerate().rev() {
            sum += value - level;
            squares += (value - level).powi(2);
            let n = (batches.len() - at) as f64;
            let error = (squares - sum * sum / n).max(0.0) / (n * n);
            // The last batches alone are too few to judge: two of the same value would win.
            if n >= JOINED as f64 && error <= best.0 {
                best = (error, at);
            }
        }
        Some(WarmUp { values: best.1 * JOINED, is_settled: best.1 * 2 <= batches.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn a_decay_is_cut_and_a_level_is_kept() {
        let mut random = SplitMix64::new(7);
        let decay: Vec<f64> =
            (0..400).map(|at| 100.0 + 300.0 * (-f64::from(at) / 20.0).exp() + random.normal()).collect();
        let cut = WarmUp::of(&decay).unwrap();
        assert!(cut.is_settled && (60..160).contains(&cut.values), "{cut:?}");
        assert_eq!(WarmUp::of(&[5.0; 60]), Some(WarmUp { values: 0, is_settled: true }));
        assert_eq!(WarmUp::of(&[5.0; 9]), None);
    }

    #[test]
    fn what_still_moves_at_its_end_has_not_settled() {
        let falls: Vec<f64> = (0..200).map(|at| 1_000.0 - 4.0 * f64::from(at)).collect();
        assert!(!WarmUp::of(&falls).unwrap().is_settled);
    }
}
