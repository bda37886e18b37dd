//! The ratio of two systems from paired runs, by resampling.

use crate::estimate::{Estimate, median};

/// Resamples drawn: the 2.5 % end is then the 250th value, whose own noise no longer shows in
/// three digits (Efron & Tibshirani, *An Introduction to the Bootstrap*, 13.4, ask for 1,000).
const RESAMPLES: usize = 10_000;

/// Median of `candidate[i] / baseline[i]` over pairs measured side by side, with a percentile
/// bootstrap interval (Efron & Tibshirani, 13.3). The same seed gives the same interval.
///
/// Pairs share their moment's noise, so their ratios are steadier than the ratio of two medians.
/// `None` when lengths differ, a value is not a positive finite number, or there are too few
/// pairs: at 95 % the extremes of five enclose the median in less than 95 % of all cases, so six
/// is the least.
pub fn median_ratio(baseline: &[f64], candidate: &[f64], confidence: f64, seed: u64) -> Option<Estimate> {
    let usable = |v: &f64| v.is_finite() && *v > 0.0;
    if baseline.len() != candidate.len() || !baseline.iter().chain(candidate).all(usable) {
        return None;
    }
    let pairs = candidate.iter().zip(baseline);
    let ratios: Vec<f64> = pairs.map(|(c, b)| c / b).collect();
    if !enough(ratios.len(), confidence) {
        return None;
    }
    let medians = resampled_medians(&ratios, seed);
    let outside = (1.0 - confidence) / 2.0;
    let cut = (outside * RESAMPLES as f64) as usize;
    Some(Estimate {
        value: median(&mut ratios.clone())?,
        low: medians[cut],
        high: medians[RESAMPLES - 1 - cut],
        n: ratios.len() as u64,
        confidence,
    })
}

/// Whether the extremes of `n` values enclose the median with the confidence: 1 − 2·2^−n.
fn enough(n: usize, confidence: f64) -> bool {
    let enclosed = 1.0 - 2.0 * 0.5_f64.powi(n as i32);
    n > 0 && confidence > 0.0 && confidence < 1.0 && enclosed >= confidence
}

/// Medians of samples drawn with replacement, in ascending order.
fn resampled_medians(ratios: &[f64], seed: u64) -> Vec<f64> {
    let mut random = SplitMix64::new(seed);
    let mut sample = vec![0.0; ratios.len()];
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            sample.fill_with(|| ratios[random.below(ratios.len())]);
            median(&mut sample)
        })
        .collect();
    medians.sort_unstable_by(f64::total_cmp);
    medians
}

/// SplitMix64 (Steele, Lea & Flood, OOPSLA 2014): small, seedable, and more than even enough to
/// pick runs with.
pub(crate) struct SplitMix64(u64);

impl SplitMix64 {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, by the high half of a product; its bias of n / 2^64 is nothing here.
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generator_matches_the_reference() {
        // First outputs for seed 1234567, as published with the reference implementation.
        let mut random = SplitMix64::new(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn shared_drift_cancels_in_pairs() {
        // The machine slows by half during the test; the candidate stays 10 % faster throughout.
        let baseline: Vec<f64> = (0..20).map(|i| 1000.0 - 25.0 * f64::from(i)).collect();
        let jitter = |i: usize| 1.0 + 0.002 * (i % 5) as f64;
        let candidate: Vec<f64> = baseline.iter().enumerate().map(|(i, b)| b * 1.1 * jitter(i)).collect();
        let ratio = median_ratio(&baseline, &candidate, 0.95, 1).unwrap();
        assert!((ratio.value - 1.1 * 1.004).abs() < 1e-9);
        assert!(1.1 <= ratio.low && ratio.high <= 1.1 * 1.008 + 1e-9, "{ratio:?}");
        assert!(ratio.low < ratio.value && ratio.value < ratio.high);
        assert_eq!(ratio.n, 20);
    }

    #[test]
    fn interval_holds_the_truth_as_often_as_it_says() {
        // Log-uniform noise around a true median of 1, fifteen pairs.
        let mut random = SplitMix64::new(42);
        let trials = 200;
        let held = (0..trials)
            .filter(|trial| {
                let mut noisy = || (random.next() as f64 / u64::MAX as f64 - 0.5).exp();
                let candidate: Vec<f64> = (0..15).map(|_| noisy()).collect();
                let ratio = median_ratio(&[1.0; 15], &candidate, 0.95, *trial).unwrap();
                ratio.low <= 1.0 && 1.0 <= ratio.high
            })
            .count();
        assert!(held >= trials as usize * 9 / 10, "{held} of {trials}");
    }

    #[test]
    fn the_seed_decides() {
        let baseline = [1.0; 9];
        let candidate = [1.0, 1.3, 0.9, 1.1, 1.05, 1.2, 0.95, 1.15, 1.02];
        let first = median_ratio(&baseline, &candidate, 0.9, 5).unwrap();
        assert_eq!(median_ratio(&baseline, &candidate, 0.9, 5), Some(first));
    }

    #[test]
    fn too_little_is_none() {
        assert_eq!(median_ratio(&[1.0; 5], &[1.0; 5], 0.95, 1), None);
        assert!(median_ratio(&[1.0; 6], &[1.0; 6], 0.95, 1).is_some());
        assert_eq!(median_ratio(&[1.0; 6], &[1.0; 7], 0.95, 1), None);
        assert_eq!(median_ratio(&[0.0; 6], &[1.0; 6], 0.95, 1), None);
        assert_eq!(median_ratio(&[], &[], 0.95, 1), None);
    }
}
