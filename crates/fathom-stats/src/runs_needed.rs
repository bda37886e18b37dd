//! How many runs a difference needs before it can be told.

use crate::estimate::{mean, sample_variance};
use crate::student::t_two_sided;

/// More runs than this are not proposed: something else must change then.
pub const RUNS_MAX: u32 = 1_000;

/// The runs that each side needs so that the half width of the interval of the ratio is at most
/// `half_width` (0.02 for 2 %), if the runs go on varying as they did. `None` where more than
/// [`RUNS_MAX`] would be needed, or nothing is known of their variation.
pub fn runs_needed(baseline: &[f64], candidate: &[f64], half_width: f64, confidence: f64) -> Option<u32> {
    let squared = |values: &[f64]| {
        let mean = mean(values);
        (values.len() >= 2 && mean > 0.0).then(|| sample_variance(values) / (mean * mean))
    };
    let squares = squared(baseline)? + squared(candidate)?;
    let is_enough = |n: &u32| {
        let t = t_two_sided(confidence, 2 * u64::from(*n) - 2).unwrap_or(f64::INFINITY);
        t * (squares / f64::from(*n)).sqrt() <= half_width
    };
    (2..=RUNS_MAX).find(is_enough)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_noise_needs_more_runs() {
        // A coefficient of variation of 3 % on both sides.
        let runs = [0.97, 1.0, 1.03];
        let needed = |half: f64| runs_needed(&runs, &runs, half, 0.95);
        // t(18) × 3 % × √(2/10) = 2.8 %, and t(34) × 3 % × √(2/18) = 2.03 %.
        assert_eq!(needed(0.029), Some(10));
        assert_eq!(needed(0.0204), Some(18));
        assert!(needed(0.0001).is_none() && needed(0.01) > needed(0.02));
        assert_eq!(runs_needed(&[5.0; 3], &[5.0; 3], 0.01, 0.95), Some(2));
        assert_eq!(runs_needed(&[5.0], &[5.0; 3], 0.01, 0.95), None);
    }
}
