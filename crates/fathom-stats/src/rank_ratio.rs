//! The ratio of two sets of runs without any assumption about their distribution.

use crate::estimate::{Estimate, median};
use crate::normal::z_two_sided;
use crate::ratio::TestedRatio;
use statrs::function::erf::erfc;
use std::cmp::Ordering;

/// Above this number of runs on a side the normal approximation of the ranks is as good as the exact
/// distribution, and much faster.
const EXACT_MAX: usize = 40;

/// The median of all ratios `candidate[j] / baseline[i]`, with an interval from ranks.
///
/// This is the estimate of J. L. Hodges and E. L. Lehmann (Annals of Mathematical Statistics 34 (1963)
/// 598-611) for the logarithms, with the interval of the test of Mann and Whitney (M. Hollander & D. A.
/// Wolfe, *Nonparametric Statistical Methods*, 4.3). It holds for any distribution that differs by a
/// factor only, so it is used for percentiles of latency, whose runs have long tails.
///
/// `None` where a value is not a positive finite number, and for too few runs: at 95 % four on each
/// side are needed.
pub fn rank_ratio(baseline: &[f64], candidate: &[f64], confidence: f64) -> Option<TestedRatio> {
    let is_usable = |value: &f64| value.is_finite() && *value > 0.0;
    let is_possible = confidence > 0.0 && confidence < 1.0;
    if !(is_possible && baseline.iter().chain(candidate).all(is_usable)) {
        return None;
    }
    let (m, n) = (baseline.len(), candidate.len());
    let outside = pairs_outside(m, n, confidence)?;
    let mut ratios: Vec<f64> = candidate.iter().flat_map(|c| baseline.iter().map(move |b| c / b)).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    let (low, high) = (ratios[outside], ratios[ratios.len() - 1 - outside]);
    let p_value = p_value(&ratios, m, n);
    let n = (m + n) as u64;
    Some(TestedRatio { ratio: Estimate { value: median(&mut ratios)?, low, high, n, confidence }, p_value })
}

/// How many of the ordered ratios to leave out at each end.
fn pairs_outside(m: usize, n: usize, confidence: f64) -> Option<usize> {
    let tail = (1.0 - confidence) / 2.0;
    if m.min(n) == 0 {
        return None;
    }
    if m.max(n) > EXACT_MAX {
        let outside = (m * n) as f64 / 2.0 - z_two_sided(confidence)? * deviation(m, n) - 0.5;
        return (outside >= 0.0).then_some(outside as usize);
    }
    let chances = chances(m, n);
    let mut sum = 0.0;
    let fits = |chance: &&f64| {
        sum += **chance;
        sum <= tail
    };
    chances.iter().take_while(fits).count().checked_sub(1)
}

/// Two-sided, with ties as half a pair.
fn p_value(ratios: &[f64], m: usize, n: usize) -> f64 {
    let above = ratios
        .iter()
        .map(|ratio| match ratio.total_cmp(&1.0) {
            Ordering::Greater => 1.0,
            Ordering::Equal => 0.5,
            Ordering::Less => 0.0,
        })
        .sum::<f64>();
    let fewer = above.min((m * n) as f64 - above);
    if m.max(n) > EXACT_MAX {
        let z = ((m * n) as f64 / 2.0 - fewer - 0.5).max(0.0) / deviation(m, n);
        return erfc(z / std::f64::consts::SQRT_2).min(1.0);
    }
    let within = chances(m, n).iter().take(fewer.ceil() as usize + 1).sum::<f64>();
    (2.0 * within).min(1.0)
}

/// Standard deviation of the number of pairs in which the candidate is the larger one.
fn deviation(m: usize, n: usize) -> f64 {
    ((m * n * (m + n + 1)) as f64 / 12.0).sqrt()
}

/// The chance of each number of pairs in which the candidate is the larger one, if nothing differs.
/// Counts the orders of m and n values by their largest: it is one of the m or one of the n.
fn chances(m: usize, n: usize) -> Vec<f64> {
    // counts[j][u]: orders of i values of the baseline and j of the candidate with u such pairs.
    let mut counts = vec![vec![0.0; m * n + 1]; n + 1];
    counts.iter_mut().for_each(|row| row[0] = 1.0);
    for i in 1..=m {
        for j in 1..=n {
            // The largest is of the candidate: it is above i values of the baseline.
            let (before, after) = counts.split_at_mut(j);
            let (without, with) = (&before[j - 1], &mut after[0]);
            for pairs in (i..=m * n).rev() {
                with[pairs] += without[pairs - i];
            }
        }
    }
    let all: f64 = counts[n].iter().sum();
    counts.swap_remove(n).into_iter().map(|count| count / all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn chances_are_those_of_the_tables() {
        // Two of each: of six orders, one has 0 pairs, one has 1, two have 2.
        let of_six: Vec<f64> = chances(2, 2).iter().map(|chance| chance * 6.0).collect();
        assert_eq!(of_six.iter().map(|count| count.round() as u32).collect::<Vec<_>>(), [1, 1, 2, 1, 1]);
        // Critical values of U, two-sided at 5 % (Mann & Whitney's table): 0, 2, 5, 8, 13, 23, 127.
        let critical = [(4, 4), (5, 5), (6, 6), (7, 7), (8, 8), (10, 10), (20, 20)];
        let found = critical.map(|(m, n)| pairs_outside(m, n, 0.95));
        assert_eq!(found, [0, 2, 5, 8, 13, 23, 127].map(Some));
        assert_eq!(pairs_outside(3, 3, 0.95), None);
        assert_eq!(pairs_outside(41, 0, 0.95), None);
    }

    #[test]
    fn the_approximation_continues_the_exact_distribution() {
        let exact = chances(40, 41);
        let tail = |outside: usize| exact.iter().take(outside + 1).sum::<f64>();
        let outside = pairs_outside(40, 41, 0.95).unwrap();
        assert!((0.02..=0.0262).contains(&tail(outside)), "{}", tail(outside));
    }

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says_for_long_tails() {
        const TRIALS: u32 = 2_000;
        for (m, n) in [(4, 4), (5, 7), (10, 10), (45, 12)] {
            let mut random = SplitMix64::new((m * 100 + n) as u64);
            let mut runs = |n: usize, factor: f64| -> Vec<f64> {
                (0..n).map(|_| factor * (2.0 * random.normal()).exp()).collect()
            };
            let holds = |_: &u32| {
                let found = rank_ratio(&runs(m, 1.0), &runs(n, 3.0), 0.95).unwrap();
                found.ratio.low <= 3.0 && 3.0 <= found.ratio.high
            };
            let held = f64::from((0..TRIALS).filter(holds).count() as u32) / f64::from(TRIALS);
            assert!(held >= 0.935, "{m} and {n}: {held}");
        }
    }

    #[test]
    fn the_test_agrees_with_the_interval() {
        let mut random = SplitMix64::new(3);
        for round in 0..500 {
            let n = 4 + round % 9;
            let mut runs =
                |shift: f64| -> Vec<f64> { (0..n).map(|_| (shift + random.normal()).exp()).collect() };
            let found = rank_ratio(&runs(0.0), &runs(0.9), 0.95).unwrap();
            let leaves_out_1 = found.ratio.low > 1.0 || found.ratio.high < 1.0;
            assert_eq!(leaves_out_1, found.p_value <= 0.05, "{found:?}");
        }
    }

    #[test]
    fn ties_are_no_difference() {
        let found = rank_ratio(&[7.0; 6], &[7.0; 6], 0.95).unwrap();
        assert_eq!(
            (found.ratio.low, found.ratio.value, found.ratio.high, found.p_value),
            (1.0, 1.0, 1.0, 1.0)
        );
        assert_eq!(rank_ratio(&[0.0; 6], &[7.0; 6], 0.95), None);
    }
}
