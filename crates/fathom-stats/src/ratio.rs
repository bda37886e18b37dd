//! Ratios of two figures that were measured otherwise than by independent runs.

use crate::estimate::Estimate;
use crate::mean_ratio::RUNS_MIN;
use crate::normal::z_two_sided;
use crate::student::t_two_sided;
use statrs::function::erf::erfc;

/// A ratio of two figures with its interval, and the test whether it is 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestedRatio {
    /// The ratio.
    pub ratio: Estimate,
    /// The probability of a difference at least as clear between two measurements of the same system.
    pub p_value: f64,
}

/// The mean ratio of pairs that were measured one after the other: what disturbs both is not counted
/// as a difference. The t-interval of the mean of the logarithms.
///
/// `None` for fewer than three pairs, lengths that differ, or a value that is not a positive finite number.
pub fn paired_ratio(baseline: &[f64], candidate: &[f64], confidence: f64) -> Option<TestedRatio> {
    let is_usable = |value: &f64| value.is_finite() && *value > 0.0;
    let n = baseline.len();
    if n != candidate.len() || n < RUNS_MIN || !baseline.iter().chain(candidate).all(is_usable) {
        return None;
    }
    let logs: Vec<f64> = baseline.iter().zip(candidate).map(|(b, c)| (c / b).ln()).collect();
    let mean = Estimate::of_independent(&logs, confidence)?;
    let error = (mean.high - mean.low) / 2.0 / t_two_sided(confidence, n as u64 - 1)?;
    let ratio = Estimate { value: mean.value.exp(), low: mean.low.exp(), high: mean.high.exp(), ..mean };
    Some(TestedRatio { ratio, p_value: p_of_t(mean.value, error, n as u64 - 1) })
}

/// The ratio of two figures that have an interval each, from within two single measurements.
///
/// The intervals are joined as G. Y. Zou and A. Donner do ("Construction of confidence limits about
/// effect measures", Statistics in Medicine 27 (2008) 1693-1702), on the scale of logarithms. What
/// changes from measurement to measurement is in neither interval, so it is not in this one either.
///
/// `None` where a figure or a limit is not a positive finite number, or the confidences differ.
pub fn interval_ratio(baseline: &Estimate, candidate: &Estimate) -> Option<TestedRatio> {
    let logs = |e: &Estimate| {
        let limits = [e.value, e.low.min(e.value), e.high.max(e.value)];
        limits.iter().all(|v| v.is_finite() && *v > 0.0).then(|| limits.map(f64::ln))
    };
    if baseline.confidence != candidate.confidence {
        return None;
    }
    let ([b, b_low, b_high], [c, c_low, c_high]) = (logs(baseline)?, logs(candidate)?);
    let (below, above) = ((c - c_low).hypot(b_high - b), (c_high - c).hypot(b - b_low));
    let value = c - b;
    let (low, high) = ((value - below).exp(), (value + above).exp());
    let (n, confidence) = (baseline.n + candidate.n, baseline.confidence);
    // The limit that lies towards 1 decides.
    let half = if value > 0.0 { below } else { above };
    let p_value = match (value == 0.0, half == 0.0) {
        (true, _) => 1.0,
        (false, true) => 0.0,
        _ => erfc(value.abs() / half * z_two_sided(confidence)? / std::f64::consts::SQRT_2),
    };
    Some(TestedRatio { ratio: Estimate { value: value.exp(), low, high, n, confidence }, p_value })
}

/// Two-sided p of an estimate with this standard error.
fn p_of_t(value: f64, error: f64, degrees: u64) -> f64 {
    match (value == 0.0, error == 0.0) {
        (true, _) => 1.0,
        (false, true) => 0.0,
        _ => 1.0 - crate::student::t_within(value.abs() / error, degrees),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn what_disturbs_both_of_a_pair_is_no_difference() {
        let drift = |at: usize| 1000.0 - 60.0 * at as f64;
        let baseline: Vec<f64> = (0..6).map(drift).collect();
        let candidate: Vec<f64> = (0..6).map(|at| drift(at) * (1.05 + 0.001 * (at % 2) as f64)).collect();
        let found = paired_ratio(&baseline, &candidate, 0.95).unwrap();
        assert!(found.ratio.low > 1.049 && found.ratio.high < 1.052 && found.p_value < 1e-6, "{found:?}");
        assert_eq!(paired_ratio(&[1.0; 2], &[1.0; 2], 0.95), None);
        assert_eq!(paired_ratio(&[1.0; 3], &[0.0; 3], 0.95), None);
        assert_eq!(paired_ratio(&[2.0; 3], &[2.0; 3], 0.95).unwrap().p_value, 1.0);
    }

    #[test]
    fn pairs_hold_the_truth_as_often_as_they_say() {
        const TRIALS: u32 = 4_000;
        for n in [3, 5, 12] {
            let mut random = SplitMix64::new(n);
            let holds = |_: &u32| {
                let (b, c): (Vec<f64>, Vec<f64>) = (0..n)
                    .map(|_| {
                        let both = (0.2 * random.normal()).exp();
                        (both * (0.03 * random.normal()).exp(), 1.1 * both * (0.03 * random.normal()).exp())
                    })
                    .unzip();
                let found = paired_ratio(&b, &c, 0.95).unwrap();
                found.ratio.low <= 1.1 && 1.1 <= found.ratio.high
            };
            let held = f64::from((0..TRIALS).filter(holds).count() as u32) / f64::from(TRIALS);
            assert!(held >= 0.935, "{n} pairs: {held}");
        }
    }

    #[test]
    fn intervals_are_joined() {
        let estimate = |value: f64, half: f64| Estimate {
            value,
            low: value - half,
            high: value + half,
            n: 60,
            confidence: 0.95,
        };
        let found = interval_ratio(&estimate(1_000.0, 30.0), &estimate(1_100.0, 44.0)).unwrap();
        // Half widths of 3 % and 4 % are 5 % together.
        assert!((found.ratio.value - 1.1).abs() < 1e-9);
        assert!((found.ratio.low / 1.1 - 0.951).abs() < 2e-3, "{found:?}");
        assert!((found.ratio.high / 1.1 - 1.051).abs() < 2e-3, "{found:?}");
        assert!(found.p_value < 0.001);
        let same = interval_ratio(&estimate(1_000.0, 30.0), &estimate(1_010.0, 30.0)).unwrap();
        assert!(same.p_value > 0.05 && same.ratio.low < 1.0, "{same:?}");
        assert_eq!(interval_ratio(&estimate(0.0, 1.0), &estimate(1.0, 0.1)), None);
    }
}
