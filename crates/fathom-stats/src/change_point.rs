//! Where the level of a series changes: an SLC cache that is full, a drive that gets hot.
//!
//! Candidates come from E-divisive (D. S. Matteson & N. A. James, Journal of the American Statistical
//! Association 109 (2014) 334-345): the series is cut where the energy distance between both sides is
//! largest, and each side is cut again. The original keeps a cut by random permutations; these take
//! neighbours for independent, which seconds of a device are not. So every candidate is tested as a step
//! between its neighbours among the candidates, under correlation, and the least clear one is removed until
//! all that remain are clear, at a level that is divided by the number of places for a cut.

use crate::batch_means::batched;
use crate::effect::effect;
use crate::estimate::mean;

/// The fewest batches on each side of a cut.
const SIDE_MIN: usize = 5;

/// The chance of a cut in a series without one. Simulated, with 120 values: at most 5 % up to a correlation
/// of 0.5 between neighbours, 7 % at 0.8, 10 % at 0.9.
const LEVEL: f64 = 0.05;

/// The first values of new levels, in ascending order; empty for a series with one level, or with too few
/// values to tell.
pub fn change_points(values: &[f64]) -> Vec<usize> {
    let (means, length) = batched(values);
    let odd = values.len() - means.len() * length;
    let mut cuts = Vec::new();
    divide(&means, 0, &mut cuts);
    cuts.sort_unstable();
    let mut cuts: Vec<usize> =
        cuts.into_iter().map(|at| refined(values, odd + at * length, length)).collect();
    let level = LEVEL / (means.len() + 1).saturating_sub(2 * SIDE_MIN).max(1) as f64;
    while let Some((at, p_value)) = least_clear(values, &cuts, length)
        && p_value > level
    {
        cuts.remove(at);
    }
    cuts
}

/// All candidates: cuts until the sides are too short.
fn divide(means: &[f64], offset: usize, cuts: &mut Vec<usize>) {
    if let Some(at) = farthest(means) {
        cuts.push(offset + at);
        divide(&means[..at], offset, cuts);
        divide(&means[at..], offset + at, cuts);
    }
}

/// The value near `cut` at which two levels fit the batches around it best.
fn refined(values: &[f64], cut: usize, length: usize) -> usize {
    let around = &values[cut - 2 * length..(cut + 2 * length).min(values.len())];
    let squares = |of: &[f64]| {
        let level = mean(of);
        of.iter().map(|value| (value - level).powi(2)).sum::<f64>()
    };
    let error = |at: &usize| squares(&around[..*at]) + squares(&around[*at..]);
    let best = (length..=3 * length).min_by(|one, other| error(one).total_cmp(&error(other)));
    cut - 2 * length + best.unwrap_or(2 * length)
}

/// The cut whose step is the least clear between its neighbours, and its p-value. Batches begin at the cut,
/// so that none has values of both levels.
fn least_clear(values: &[f64], cuts: &[usize], length: usize) -> Option<(usize, f64)> {
    let p_value = |at: usize| {
        let from = if at == 0 { 0 } else { cuts[at - 1] };
        let to = cuts.get(at + 1).copied().unwrap_or(values.len());
        let (before, after) = (&values[from..cuts[at]], &values[cuts[at]..to]);
        let before = before.rchunks_exact(length).map(|batch| (mean(batch), 0.0));
        let before: Vec<(f64, f64)> = before.collect();
        let after = after.chunks_exact(length).map(|batch| (mean(batch), 1.0));
        let (y, step): (Vec<f64>, Vec<f64>) = before.into_iter().rev().chain(after).unzip();
        effect(&y, &step, 0.95).map_or(1.0, |effect| effect.p_value)
    };
    (0..cuts.len()).map(|at| (at, p_value(at))).max_by(|(_, one), (_, other)| one.total_cmp(other))
}

/// The cut with the largest energy distance between both sides. Sums of distances within and between the
/// sides change by one value from cut to cut.
fn farthest(values: &[f64]) -> Option<usize> {
    let n = values.len();
    if n < 2 * SIDE_MIN {
        return None;
    }
    let to = |value: f64, others: &[f64]| others.iter().map(|other| (value - other).abs()).sum::<f64>();
    let (mut left, mut between) = (0.0, 0.0);
    let mut right: f64 = (0..n).map(|at| to(values[at], &values[at + 1..])).sum();
    let mut best = (0.0, None);
    for at in 1..n {
        // The value at − 1 goes from the right side to the left one.
        let moved = values[at - 1];
        let (to_left, to_right) = (to(moved, &values[..at - 1]), to(moved, &values[at..]));
        left += to_left;
        right -= to_right;
        between += to_right - to_left;
        let (m, k) = (at as f64, (n - at) as f64);
        if at < SIDE_MIN || n - at < SIDE_MIN {
            continue;
        }
        let pairs = |n: f64| n * (n - 1.0) / 2.0;
        let distance = 2.0 * between / (m * k) - left / pairs(m) - right / pairs(k);
        let distance = distance * m * k / (m + k);
        if distance > best.0 {
            best = (distance, Some(at));
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    fn levels(parts: &[(usize, f64)], rho: f64, seed: u64) -> Vec<f64> {
        let n = parts.iter().map(|(n, _)| n).sum();
        let noise = SplitMix64::new(seed).autoregressive(rho, n);
        let levels = parts.iter().flat_map(|(n, level)| std::iter::repeat_n(*level, *n));
        levels.zip(noise).map(|(level, noise)| level + noise).collect()
    }

    #[test]
    fn steps_are_found_where_they_are() {
        let values = levels(&[(60, 100.0), (90, 80.0), (50, 95.0)], 0.3, 4);
        let found = change_points(&values);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].abs_diff(60) <= 6 && found[1].abs_diff(150) <= 6, "{found:?}");
        assert_eq!(change_points(&[3.0; 50]), Vec::<usize>::new());
        assert_eq!(change_points(&[1.0, 1.0, 9.0, 9.0]), Vec::<usize>::new());
    }

    #[test]
    fn a_series_with_one_level_is_seldom_cut() {
        const TRIALS: u64 = 300;
        for (rho, most) in [(0.0, 0.05), (0.5, 0.05), (0.8, 0.07), (0.9, 0.10)] {
            let is_cut = |seed: &u64| !change_points(&levels(&[(120, 100.0)], rho, 10 + seed)).is_empty();
            let cut = (0..TRIALS).filter(is_cut).count();
            assert!(cut as f64 <= most * TRIALS as f64, "rho {rho}: {cut} of {TRIALS}");
        }
    }
}
