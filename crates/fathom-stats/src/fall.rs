//! Where a rate falls and stays low: a cache is full, a limit sets in, garbage collection begins.
//!
//! `change_point` finds every change of a level, also small ones. A fall that a reader must know is another question: it
//! is large, it may come in the first seconds of a run or in the last, and the level after it lasts. So the series is cut
//! where two levels fit it best, and each side again, as long as a cut is a step that chance and the correlation of
//! neighbours do not explain. A rate that rises at first, as with a cold cache, still falls from the highest level that it
//! had. One that was as low for a similar time before, such as a square wave, did not fall: it varies.

use crate::batch_means::joined;
use crate::effect::effect;
use crate::estimate::{mean, median};

/// A series is joined into so many values, up to twice as many.
const VALUES_WANTED: usize = 300;

/// The fewest values that tell a fall, and the fewest on each side of it: a write buffer may last two seconds.
const VALUES_MIN: usize = 8;
const SIDE_MIN: usize = 2;

/// The level after a fall is at most this share of the one before: a sixth less. What falls by less is seen as noise or drift.
const LEFT_MAX: f64 = 5.0 / 6.0;

/// The fewest values on each side of a cut that is tested in logarithms, or by its noise.
const SIDE_LONG: usize = 5;

/// A level below this share of the one before is a standstill, and no rate that lasts.
const LEFT_MIN: f64 = 0.001;

/// The chance of one cut in a series without any, before it is divided by the number of places for a cut. Simulated false
/// and missed falls: see the tests.
const LEVEL: f64 = 0.005;

/// A level that is nearer to the one before the fall, or to the one after it, than this part of the fall counts as that one.
const ALIKE: f64 = 0.3;

/// The low level lasts so many times as long as any time before in which the rate was as low: else it may rise again.
const LONGER: usize = 3;

/// A fall to a level that lasts until the end of the series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fall {
    /// The first value of the level before the fall; later than the first of the series where the rate rose at first.
    pub from: usize,
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
    let levels = levels(&means);
    let mut highest: Vec<f64> = levels.iter().map(|level| level.mean).collect();
    highest.sort_by(|one, other| other.total_cmp(one));
    let descent = highest.into_iter().find_map(|high| Descent::from(high, &levels, &means))?;
    let at = |cut: usize| odd + cut * length;
    let (begins, ends) = match descent.ends - descent.begins {
        // The step lies within a few of the joined values.
        0..=2 if length > 1 => {
            let from = at(descent.begins).saturating_sub(2 * length);
            let around = &values[from..(at(descent.ends) + 2 * length).min(values.len())];
            let step = from + best_cut(around)?;
            (step, step)
        }
        _ => (at(descent.begins), at(descent.ends)),
    };
    let from = if descent.from == 0 { 0 } else { at(descent.from) };
    let ends = ends + transition(&mut values[ends..].iter().copied(), descent.size);
    let begins = begins - transition(&mut values[from..begins].iter().rev().copied(), descent.size);
    Some(Fall { from, begins, ends, before: mean(&values[from..begins]), after: mean(&values[ends..]) })
}

/// A stretch of a series that has one level.
struct Level {
    from: usize,
    to: usize,
    mean: f64,
}

/// The levels of a series, one behind the other.
fn levels(values: &[f64]) -> Vec<Level> {
    let mut cuts = vec![0, values.len()];
    divide(values, 0, LEVEL / values.len() as f64, &mut cuts);
    cuts.sort_unstable();
    let level = |ends: &[usize]| Level { from: ends[0], to: ends[1], mean: mean(&values[ends[0]..ends[1]]) };
    cuts.windows(2).map(level).collect()
}

/// A way from a high level to the last one that goes down only.
struct Descent {
    /// Where the high level begins and ends.
    from: usize,
    begins: usize,
    /// Where the last level begins.
    ends: usize,
    /// From the high level to the last one.
    size: f64,
}

impl Descent {
    /// The way down from `high`. `None` where the last level is not much lower, is a standstill, or is not one that lasts.
    fn from(high: f64, levels: &[Level], values: &[f64]) -> Option<Descent> {
        let last = levels.last()?;
        let size = high - last.mean;
        let is_large = last.mean <= LEFT_MAX * high && last.mean > LEFT_MIN * high;
        let (least_high, most_low) = (high - ALIKE * size, last.mean + ALIKE * size);
        let is_high = |level: &Level| level.mean >= least_high;
        let from = levels.iter().find(|level| is_high(level))?.from;
        let after = &levels[levels.iter().rposition(is_high)? + 1..];
        let begins = after.first()?.from;
        let goes_down = after.windows(2).all(|pair| pair[1].mean <= pair[0].mean.max(most_low));
        // What is far below the level that lasts is a part of the way, if it is short.
        let lasts = last.to - last.from;
        let deeper = after.iter().filter(|level| level.mean < last.mean - ALIKE * size);
        let is_reached = deeper.map(|level| level.to - level.from).sum::<usize>() <= lasts;
        let low_from = after.iter().find(|level| level.mean <= most_low)?.from;
        let low_before = longest(&values[..begins], |value| value <= most_low);
        let high_after = longest(&values[low_from..], |value| value >= least_high);
        let is_lasting = LONGER * low_before <= last.to - low_from && LONGER * high_after <= begins - from;
        (is_large && goes_down && is_reached && is_lasting).then_some(Descent {
            from,
            begins,
            ends: last.from,
            size,
        })
    }
}

/// The most values in a row that are so, where a single one that is not, or is, counts as its neighbours.
fn longest(values: &[f64], is_so: impl Fn(f64) -> bool) -> usize {
    let middle = |three: &[f64]| three[0].max(three[1]).min(three[0].min(three[1]).max(three[2]));
    let (mut longest, mut now) = (0, 0);
    for three in values.windows(3) {
        now = if is_so(middle(three)) { now + 1 } else { 0 };
        longest = longest.max(now);
    }
    longest
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
    let is_long = |at: &usize| *at >= SIDE_LONG && values.len() - at >= SIDE_LONG;
    let is_ratio =
        |at: &usize| is_long(at) && is_halved(values, *at) && is_step(&logarithms, *at, 2.0 * level);
    let by_levels = || best_cut(values).filter(|at| is_large(values, *at)).filter(is_clear);
    let by_ratio = || best_cut(&logarithms).filter(|at| is_large(values, *at)).filter(is_ratio);
    let by_calm = || calm_cut(values).filter(|at| is_capped(values, *at));
    let clear = by_levels().or_else(by_ratio).or_else(by_calm);
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

/// The cut at which two levels, each with a noise of its own, fit best: where a limit sets in, the noise ends too.
fn calm_cut(values: &[f64]) -> Option<usize> {
    let floor = (QUIET * mean(values)).powi(2);
    let misfit = |side: &[f64]| side.len() as f64 * (squares(side) / side.len() as f64).max(floor).ln();
    let both = |at: &usize| misfit(&values[..*at]) + misfit(&values[*at..]);
    let cuts = SIDE_LONG..=values.len().checked_sub(SIDE_LONG)?;
    cuts.min_by(|one, other| both(one).total_cmp(&both(other)))
}

/// Is the level halved at this cut, much calmer, and below most of the values before? Noise that stays the same does not do
/// that, however its neighbours correlate.
fn is_capped(values: &[f64], at: usize) -> bool {
    let (before, after) = values.split_at(at);
    let is_calm = CALMER * roughness(after) <= roughness(before);
    let mut sorted = after.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cap = sorted[(after.len() - 1) * 9 / 10];
    let above = before.iter().filter(|value| **value > cap).count();
    is_calm && mean(after) <= HALVED * mean(before) && above as f64 >= ABOVE * before.len() as f64
}

/// Noise below this share of the mean is none.
const QUIET: f64 = 0.005;

/// Neighbours below a limit differ by so many times less.
const CALMER: f64 = 4.0;

/// The share of the values before that are above nearly all below the limit.
const ABOVE: f64 = 0.75;

/// The sum of the squared distances from the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
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
    effect(values, &step, 0.95).is_some_and(|effect| effect.p_value <= level) && is_apart(values, at)
}

/// Are the means of both sides farther apart than the noise of either side explains, also where one side is much calmer?
fn is_apart(values: &[f64], at: usize) -> bool {
    let (before, after) = values.split_at(at);
    let error = |side: &[f64]| squares(side) / ((side.len() - 1) * side.len()) as f64;
    (mean(before) - mean(after)).abs() >= APART * (error(before) + error(after)).sqrt()
}

/// So many standard errors of the difference.
const APART: f64 = 5.0;

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
        assert_eq!(exact, Fall { from: 0, begins: 12, ends: 12, before: 1_000.0, after: 300.0 });
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
            &[(9, 300.0), (12, 1_000.0), (9, 300.0)][..],
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

    /// I/Os in each second of a loop device on a machine where others compile; its control group has a limit from second 12 on.
    #[test]
    fn a_limit_below_a_rate_that_varied_much_is_found() {
        for (series, ends, limit) in [
            (
                "33204 49931 61223 64115 63779 12951 3654 2689 46573 79682 71832 58547 3779 \
                 3000 2909 2894 2971 2408 2686 3085 3000 3000 3000 3000 3000",
                12,
                3_000.0,
            ),
            (
                "7573 10438 8763 19240 37598 20819 11955 7480 19590 28903 28866 27642 3016 \
                 3296 2828 2876 1480 3237 3140 2732 2904 2889 3291 2642 3000",
                12,
                3_000.0,
            ),
            (
                "53114 25749 41308 43134 40148 36002 33431 40357 43036 22439 14052 22768 12639 \
                 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 2828 3172",
                13,
                3_000.0,
            ),
            (
                "6155 1080 11763 7940 5956 3422 4812 76673 16596 6933 10146 11933 3080 \
                 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000",
                12,
                3_000.0,
            ),
        ] {
            let rates: Vec<f64> = series.split(' ').map(|rate| rate.parse().unwrap()).collect();
            let found = fall(&rates).unwrap_or_else(|| panic!("{series}"));
            assert!(found.ends == ends && (found.after / limit - 1.0).abs() < 0.05, "{found:?}: {series}");
        }
    }

    /// Stretches of seconds: how many, their rate, and its noise as a share of it.
    type Stretch = (usize, f64, f64);

    fn noisy(stretches: &[Stretch], rho: f64, seed: u64) -> Vec<f64> {
        let n = stretches.iter().map(|(n, ..)| n).sum();
        let levels = stretches.iter().flat_map(|(n, level, noise)| std::iter::repeat_n((level, noise), *n));
        let random = SplitMix64::new(seed).autoregressive(rho, n);
        levels.zip(random).map(|((level, noise), random)| level * (noise * random).exp()).collect()
    }

    /// At most one in twenty is missed, and nine in ten are found within a second of where they are.
    #[test]
    fn falls_of_any_depth_are_found_in_the_noise_that_leaves_them_visible() {
        const TRIALS: u64 = 20;
        let places = [(20, 12), (25, 12), (20, 5), (60, 40), (60, 4), (120, 110), (30, 22)];
        for (depth, before, after) in [
            (1.3, 0.03, 0.03),
            (1.5, 0.05, 0.05),
            (2.0, 0.1, 0.1),
            (3.0, 0.15, 0.15),
            (3.0, 0.3, 0.01),
            (10.0, 0.4, 0.005),
        ] {
            let (mut missed, mut elsewhere) = (0, 0);
            for (place, (n, at)) in places.into_iter().enumerate() {
                for seed in 0..TRIALS {
                    let stretches = [(at, 1_000.0, before), (n - at, 1_000.0 / depth, after)];
                    match fall(&noisy(&stretches, 0.3, 1_000 * place as u64 + seed)) {
                        None => missed += 1,
                        Some(found) => {
                            elsewhere += u64::from(found.ends.abs_diff(at).max(found.begins.abs_diff(at)) > 1)
                        }
                    }
                }
            }
            let all = TRIALS * places.len() as u64;
            assert!(20 * missed <= all, "{depth} times, noise {before}: {missed} of {all}");
            assert!(10 * elsewhere <= all, "{depth} times, noise {before}: {elsewhere} elsewhere");
        }
    }

    /// The forms that drives, caches and limits have. Two falls begin with the first and end with the last.
    #[test]
    fn a_fall_is_that_from_the_highest_level_to_the_one_that_lasts() {
        for (what, stretches, expected) in [
            ("a write buffer ends", &[(4, 3_300.0, 0.05), (56, 480.0, 0.05)][..], (0, 4, 4)),
            ("garbage collection begins", &[(40, 900.0, 0.03), (80, 350.0, 0.15)][..], (0, 40, 40)),
            (
                "a cold cache, then a limit",
                &[(3, 500.0, 0.1), (9, 3_000.0, 0.1), (13, 400.0, 0.01)][..],
                (3, 12, 12),
            ),
            (
                "a standstill, then a limit",
                &[(2, 2.0, 0.1), (10, 3_000.0, 0.1), (13, 400.0, 0.01)][..],
                (2, 12, 12),
            ),
            (
                "a dip, then a limit",
                &[(10, 1_000.0, 0.05), (3, 300.0, 0.05), (10, 1_000.0, 0.05), (17, 300.0, 0.01)][..],
                (0, 23, 23),
            ),
            ("two falls", &[(20, 1_000.0, 0.03), (20, 600.0, 0.03), (20, 300.0, 0.03)][..], (0, 20, 40)),
        ] {
            let is_right = |seed: &u64| {
                let near = |found: usize, expected: usize| found.abs_diff(expected) <= 1;
                fall(&noisy(stretches, 0.3, *seed)).is_some_and(|fall| {
                    near(fall.from, expected.0)
                        && near(fall.begins, expected.1)
                        && near(fall.ends, expected.2)
                })
            };
            let right = (0..40).filter(is_right).count();
            assert!(right >= 36, "{what}: {right} of 40");
        }
    }

    /// At most one in fifty of each form.
    #[test]
    fn what_varies_rises_or_dips_seldom_falls() {
        use std::f64::consts::TAU;
        const TRIALS: usize = 200;
        type Form = fn(&mut SplitMix64, f64, f64) -> f64;
        // A form makes the level at a share of the run; what it draws first is the same for the whole series.
        let forms: [(&str, Form); 6] = [
            ("square wave", |random, t, low| {
                let (periods, phase, duty) =
                    (2.0 + 6.0 * random.uniform(), random.uniform(), 0.3 + 0.4 * random.uniform());
                if (periods * t + phase).fract() < duty { 1.0 } else { low }
            }),
            ("sine", |random, t, low| {
                let (periods, phase) = (1.5 + 4.0 * random.uniform(), random.uniform());
                low + (1.0 - low) * (1.0 + (TAU * (periods * t + phase)).sin()) / 2.0
            }),
            ("dip", |random, t, low| {
                let (from, length) = (0.1 + 0.6 * random.uniform(), 0.1 * random.uniform());
                if (from..from + length).contains(&t) { low } else { 1.0 }
            }),
            ("rise", |random, t, low| if t < 0.1 + 0.8 * random.uniform() { low } else { 1.0 }),
            ("warm-up", |random, t, low| 1.0 - (1.0 - low) * (-t / (0.02 + 0.15 * random.uniform())).exp()),
            ("flat", |_, _, _| 1.0),
        ];
        for (what, level) in forms {
            for (n, noise, low) in [
                (20, 0.02, 0.3),
                (25, 0.1, 0.3),
                (25, 0.3, 0.6),
                (60, 0.02, 0.6),
                (60, 0.1, 0.3),
                (120, 0.1, 0.6),
            ] {
                let falls = |seed: &usize| {
                    let random = SplitMix64::new(7 * *seed as u64 + n as u64);
                    let noisy = SplitMix64::new(*seed as u64).autoregressive(0.3, n);
                    let at = |t: usize| {
                        level(&mut random.clone(), t as f64 / n as f64, low) * (noise * noisy[t]).exp()
                    };
                    fall(&(0..n).map(at).collect::<Vec<f64>>()).is_some()
                };
                let count = (0..TRIALS).filter(falls).count();
                assert!(50 * count <= TRIALS, "{what}, n {n}, noise {noise}, low {low}: {count} of {TRIALS}");
            }
        }
    }

    #[test]
    fn noise_that_ends_is_no_fall_where_the_rate_stays() {
        for n in [20, 25, 60] {
            let falls = |seed: &u64| {
                fall(&noisy(&[(n / 2, 1_000.0, 0.3), (n / 2, 1_000.0, 0.01)], 0.3, *seed)).is_some()
            };
            let count = (0..200).filter(falls).count();
            assert!(count <= 4, "n {n}: {count} of 200");
        }
    }

    #[test]
    fn a_rate_that_only_varies_seldom_falls() {
        const TRIALS: u64 = 200;
        // At most one in fifty.
        for n in [8, 10, 25, 60, 300] {
            for (noise, rho) in
                [(0.05, 0.0), (0.3, 0.0), (0.3, 0.5), (0.2, 0.8), (0.2, 0.9), (0.2, 0.95), (0.2, 0.99)]
            {
                let falls = |seed: &u64| found(&[(n, 1_000.0)], noise, rho, 100 + seed).is_some();
                let count = (0..TRIALS).filter(falls).count();
                assert!(50 * count as u64 <= TRIALS, "n {n}, noise {noise}, rho {rho}: {count} of {TRIALS}");
            }
        }
    }
}
