//! Where a rate falls and stays low: a cache is full, a limit sets in, garbage collection begins.
//!
//! `change_point` finds every change of a level, also small ones. A fall that a reader must know is another question: it
//! is large, it may come in the first seconds of a run or in the last, and the level after it lasts. So the series is cut
//! where two levels fit it best, and each side again, as long as a cut is a step that chance and the correlation of
//! neighbours do not explain. Then the levels must go one way: a rate that fell and rose again did not fall, it varies.

use crate::batch_means::joined;
use crate::effect::effect;
use crate::estimate::{mean, median};

/// A series is joined into so many values, up to twice as many.
const VALUES_WANTED: usize = 300;

/// The fewest values that tell a fall, and the fewest on each side of it: a write buffer may last two seconds.
const VALUES_MIN: usize = 8;
const SIDE_MIN: usize = 2;

/// The level after a fall is at most this share of the one before. What falls by less is seen as noise or drift.
const LEFT_MAX: f64 = 0.8;

/// The fewest values on each side of a cut that is tested in logarithms.
const LOGARITHMS_MIN: usize = 5;

/// A level below this share of the one before is a standstill, and no rate that lasts.
const LEFT_MIN: f64 = 0.001;

/// The chance of one cut in a series without any, before it is divided by the number of places for a cut. Simulated false
/// falls: see the tests.
const LEVEL: f64 = 0.001;

/// A level after the first fall may be above the one before it by so much of the fall: else the rate varies.
const BACK_MAX: f64 = 0.3;

/// A fall to a level that lasts until the end of the series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fall {
    /// The first value after the fall began.
    pub begins: usize,
    /// The first value of the level that lasts; the same where the fall is a step.
    pub ends: usize,
    /// The mean before it began.
    pub before: f64,
    /// The mean of the level that lasts.
    pub after: f64,
}

/// The fall of a series, if it has one. `None` for fewer than eight values, or values not finite or below 0.
pub fn fall(values: &[f64]) -> Option<Fall> {
    if values.len() < VALUES_MIN || values.iter().any(|value| !value.is_finite() || *value < 0.0) {
        return None;
    }
    let (means, length) = joined(values, VALUES_WANTED);
    let odd = values.len() - means.len() * length;
    let level = LEVEL / means.len() as f64;
    let mut cuts = Vec::new();
    divide(&means, 0, level, &mut cuts);
    cuts.sort_unstable();
    let (first, last) = (*cuts.first()?, *cuts.last()?);
    let ends: Vec<usize> = cuts.iter().copied().chain([means.len()]).collect();
    let levels: Vec<f64> = std::iter::once(0)
        .chain(cuts.iter().copied())
        .zip(&ends)
        .map(|(from, to)| mean(&means[from..*to]))
        .collect();
    let (before, after) = (levels[0], levels[levels.len() - 1]);
    let most_back = after + BACK_MAX * (before - after);
    let is_lasting = levels.windows(2).all(|pair| pair[1] <= pair[0].max(most_back));
    let is_large = after <= LEFT_MAX * before && after > LEFT_MIN * before;
    let at = |cut: usize| odd + cut * length;
    let (begins, ends) = match last - first {
        // The step lies within a few of the joined values.
        0..=2 if length > 1 => {
            let from = at(first).saturating_sub(2 * length);
            let around = &values[from..(at(last) + 2 * length).min(values.len())];
            let step = from + best_cut(around)?;
            (step, step)
        }
        _ => (at(first), at(last)),
    };
    let ends = ends + transition(&mut values[ends..].iter().copied(), before - after);
    let begins = begins - transition(&mut values[..begins].iter().rev().copied(), before - after);
    (is_large && is_lasting).then(|| Fall {
        begins,
        ends,
        before: mean(&values[..begins]),
        after: mean(&values[ends..]),
    })
}

/// How many values of a level, seen from the cut, still belong to the fall: those that are not yet as near to the mean of the
/// farther half as a level that was reached is.
fn transition(level: &mut dyn Iterator<Item = f64>, fall: f64) -> usize {
    let level: Vec<f64> = level.collect();
    if level.len() < TRANSITION_MIN {
        return 0;
    }
    let (near, far) = level.split_at(level.len() / 2);
    let (reached, most) = (mean(far), (NEAR * fall).max(NOISE * roughness(far)));
    near.iter().take_while(|value| (**value - reached).abs() > most).count()
}

/// In fewer values a transition cannot be told from noise.
const TRANSITION_MIN: usize = 20;

/// So many distances of neighbours are noise.
const NOISE: f64 = 4.0;

/// The part of the fall that is left where the level counts as reached.
const NEAR: f64 = 0.05;

/// All cuts that are clear and large, in any order.
fn divide(values: &[f64], offset: usize, level: f64, cuts: &mut Vec<usize>) {
    // A rate that varies by half of itself before a limit, and hardly below it, is a clear step in its logarithm.
    let least = LEFT_MIN * values.iter().copied().fold(0.0, f64::max);
    let logarithms: Vec<f64> = values.iter().map(|value| value.max(least).ln()).collect();
    let is_clear = |at: &usize| is_step(values, *at, level) || is_halved_smoothly(values, *at);
    // Two seconds with next to no I/O are far away in logarithms.
    let is_long = |at: &usize| *at >= LOGARITHMS_MIN && values.len() - at >= LOGARITHMS_MIN;
    let is_ratio =
        |at: &usize| is_long(at) && is_halved(values, *at) && is_step(&logarithms, *at, 2.0 * level);
    let by_levels = || best_cut(values).filter(|at| is_large(values, *at)).filter(is_clear);
    let by_ratio = || best_cut(&logarithms).filter(|at| is_large(values, *at)).filter(is_ratio);
    let clear = by_levels().or_else(by_ratio);
    let Some(at) = clear else { return };
    cuts.push(offset + at);
    divide(&values[..at], offset, level, cuts);
    divide(&values[at..], offset + at, level, cuts);
}

/// The cut at which two levels fit best.
fn best_cut(values: &[f64]) -> Option<usize> {
    let n = values.len();
    let (all, mut left) = (values.iter().sum::<f64>(), 0.0);
    let mut best = (0.0, None);
    for at in 1..n {
        left += values[at - 1];
        if at < SIDE_MIN || n - at < SIDE_MIN {
            continue;
        }
        let (m, k) = (at as f64, (n - at) as f64);
        let between = (left / m - (all - left) / k).powi(2) * m * k / (m + k);
        if between > best.0 {
            best = (between, Some(at));
        }
    }
    best.1
}

/// Do the means of both sides differ by so much that two such steps are a fall?
fn is_large(values: &[f64], at: usize) -> bool {
    let (before, after) = (mean(&values[..at]), mean(&values[at..]));
    before.min(after) <= LEFT_MAX.sqrt() * before.max(after)
}

/// Is this cut a step that neither chance nor the correlation of neighbours explains? Too few values cannot be tested; as a
/// part of a longer series they are one level.
fn is_step(values: &[f64], at: usize, level: f64) -> bool {
    let step: Vec<f64> = (0..values.len()).map(|value| if value < at { 0.0 } else { 1.0 }).collect();
    effect(values, &step, 0.95).is_some_and(|effect| effect.p_value <= level)
}

/// A transition that takes a while is no step, and a strong correlation of neighbours would explain it. It is clear where
/// the level is halved and neighbours differ by little of that (their median distance).
fn is_halved_smoothly(values: &[f64], at: usize) -> bool {
    let fall = (mean(&values[..at]) - mean(&values[at..])).abs();
    is_halved(values, at) && roughness(values) <= ROUGH_MAX * fall
}

/// Is one side at most half as fast as the other?
fn is_halved(values: &[f64], at: usize) -> bool {
    let (before, after) = (mean(&values[..at]), mean(&values[at..]));
    before.min(after) <= HALVED * before.max(after)
}

const HALVED: f64 = 0.5;
const ROUGH_MAX: f64 = 0.05;

/// The median distance of neighbours.
fn roughness(values: &[f64]) -> f64 {
    let mut distances: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    median(&mut distances).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    fn levels(parts: &[(usize, f64)], noise: f64, rho: f64, seed: u64) -> Vec<f64> {
        let n = parts.iter().map(|(n, _)| n).sum();
        let random = SplitMix64::new(seed).autoregressive(rho, n);
        let levels = parts.iter().flat_map(|(n, level)| std::iter::repeat_n(*level, *n));
        levels.zip(random).map(|(level, random)| (level * (1.0 + noise * random)).max(0.0)).collect()
    }

    fn found(parts: &[(usize, f64)], noise: f64, rho: f64, seed: u64) -> Option<(usize, usize)> {
        fall(&levels(parts, noise, rho, seed)).map(|fall| (fall.begins, fall.ends))
    }

    #[test]
    fn a_fall_is_found_where_it_is() {
        // A limit at second 12 of 20, a buffer of 2 s, a cache of 4 s of 60, one that lasts until shortly before the end.
        for (parts, at) in [
            (&[(12, 1_000.0), (8, 300.0)][..], 12),
            (&[(2, 3_000.0), (8, 400.0)][..], 2),
            (&[(4, 3_294.0), (56, 480.0)][..], 4),
            (&[(290, 3_294.0), (10, 480.0)][..], 290),
            (&[(12, 1_000.0), (18, 750.0)][..], 12),
        ] {
            for seed in 0..20 {
                assert_eq!(found(parts, 0.03, 0.3, seed), Some((at, at)), "{parts:?}, seed {seed}");
            }
        }
        // A loop device on a machine that others use, with a limit of its control group from second 12 on.
        let mut random = SplitMix64::new(4);
        for _ in 0..20 {
            let noise: Vec<f64> = (0..20).map(|_| random.normal()).collect();
            let limited = |(at, noise): (usize, &f64)| match at {
                0..12 => 35_000.0 * (0.5 * noise).exp(),
                _ => 2_000.0 * (0.005 * noise).exp(),
            };
            let limited: Vec<f64> = noise.iter().enumerate().map(limited).collect();
            let found = fall(&limited).unwrap_or_else(|| panic!("{limited:?}"));
            assert!((11..=12).contains(&found.ends) && found.after < 4_500.0, "{found:?}");
        }
        let exact = fall(&levels(&[(12, 1_000.0), (8, 300.0)], 0.0, 0.0, 1)).unwrap();
        assert_eq!(exact, Fall { begins: 12, ends: 12, before: 1_000.0, after: 300.0 });
    }

    #[test]
    fn a_slow_fall_has_a_beginning_and_an_end() {
        let mut random = SplitMix64::new(6);
        let level = |t: i32| if t < 60 { 900.0 } else { 300.0 + 600.0 * (-f64::from(t - 60) / 20.0).exp() };
        let falls: Vec<f64> = (0..300).map(|t| level(t) * (1.0 + 0.01 * random.normal())).collect();
        let found = fall(&falls).unwrap();
        assert!((58..76).contains(&found.begins) && (85..180).contains(&found.ends), "{found:?}");
        assert!((300.0..315.0).contains(&found.after) && found.before > 860.0, "{found:?}");
        let long: Vec<f64> = (0..7_200).map(|t| if t < 5_000 { 900.0 } else { 300.0 }).collect();
        let found = fall(&long).unwrap();
        assert_eq!((found.begins, found.ends), (5_000, 5_000));
    }

    #[test]
    fn what_rises_comes_back_or_stands_still_is_no_fall() {
        for parts in [
            &[(30, 300.0), (30, 1_000.0)][..],
            &[(20, 1_000.0), (10, 300.0), (20, 1_000.0)][..],
            &[(20, 1_000.0), (20, 300.0), (20, 1_000.0), (20, 300.0)][..],
            &[(20, 1_000.0), (20, 0.0)][..],
            &[(20, 1_000.0), (20, 900.0)][..],
        ] {
            for seed in 0..10 {
                assert_eq!(found(parts, 0.03, 0.3, seed), None, "{parts:?}, seed {seed}");
            }
        }
        assert_eq!(fall(&[9.0, 9.0, 1.0, 1.0, 1.0, 1.0, 1.0]), None);
        assert_eq!(fall(&[f64::NAN; 20]), None);
    }

    #[test]
    fn a_rate_that_only_varies_seldom_falls() {
        const TRIALS: u64 = 300;
        // At most one in a hundred.
        for n in [8, 10, 30, 60, 300] {
            for (noise, rho) in [(0.05, 0.0), (0.3, 0.0), (0.3, 0.5), (0.2, 0.8), (0.1, 0.9), (0.2, 0.95)] {
                let falls = |seed: &u64| found(&[(n, 1_000.0)], noise, rho, 100 + seed).is_some();
                let count = (0..TRIALS).filter(falls).count();
                assert!(count as u64 <= TRIALS / 100, "n {n}, noise {noise}, rho {rho}: {count} of {TRIALS}");
            }
        }
    }
}
