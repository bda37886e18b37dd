//! A transition that ends: the level that a series is heading for, known before it is there.
//!
//! A drive whose spare space has been used up does not become steady at once. Its rate approaches the steady one
//! exponentially, y = F + A·e^(−t/τ), because each fill leaves about the same share of the data where it was. A rule
//! that waits until no trace of that can be seen, and then for as long again, measures for twice as long as it must.
//! Here the transition is fitted, and F is known with an interval that takes into account that neither τ nor
//! the correlation of neighbours is known: each τ up to four lengths of the series is weighed by how well it explains
//! the values, as `line` does with the correlation. A series too short to tell a slow fall from a quick one has
//! a wide interval.

use crate::batch_means::{FINE_BATCHES_WANTED, joined};
use crate::estimate::{Estimate, mean};
use crate::line::{Coefficient, Line, lines, mixture, weights};

/// The fewest batches that are fitted: level, size, speed and correlation are unknown.
const BATCHES_MIN: usize = 20;

/// Lengths of the series in one time constant: the quickest transition that is considered. What is quicker is over
/// before the first batches are.
const QUICKEST: f64 = 16.0;

/// The slowest: four times the length of the series. So slow a fall is almost straight, and does not tell its end.
const SLOWEST: f64 = 0.25;

/// Time constants that are tried, in equal ratios. A step changes the level by less than a twentieth of the excess.
const SPEEDS: u32 = 48;

/// Lines that are less probable do not change a visible digit.
const NEGLIGIBLE: f64 = 1e-9;

/// A series that approaches a level.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// F: the level that it approaches.
    pub level: Estimate,
    /// How far the end of the series is above it, in the unit of the values.
    pub excess: Estimate,
    /// How many independent values would tell as much, were there no transition.
    pub effective_values: f64,
    /// The values without the transition that explains them best.
    pub without: Vec<f64>,
}

/// One possible speed and correlation of neighbours, and how probable it is.
struct Possible {
    speed: f64,
    weight: f64,
    line: Line,
}

impl Transition {
    /// The transition of equally spaced values whose neighbours may correlate. `None` for fewer than twenty values,
    /// values not finite or all equal, or unless 0 < `confidence` < 1.
    pub fn of(values: &[f64], confidence: f64) -> Option<Transition> {
        let is_possible =
            confidence > 0.0 && confidence < 1.0 && values.iter().all(|value| value.is_finite());
        if values.len() < BATCHES_MIN || !is_possible {
            return None;
        }
        let (means, length) = joined(values, FINE_BATCHES_WANTED);
        let center = mean(&means);
        let unit = means.iter().map(|value| (value - center).abs()).fold(0.0, f64::max);
        if unit == 0.0 {
            return None;
        }
        let y: Vec<f64> = means.iter().map(|value| (value - center) / unit).collect();
        let possible = weighed(&y)?;
        // Level, size and speed are unknown.
        let degrees = y.len() as u64 - 3;
        let estimate = |zero: f64, of: &dyn Fn(&Possible) -> Coefficient| {
            let of: Vec<_> = possible.iter().map(|one| (one.weight, of(one))).collect();
            let (value, half_width) = mixture(&of, degrees, confidence);
            Estimate::around(zero + value * unit, half_width * unit, values.len(), confidence)
        };
        let at_end = |one: &Possible| {
            let left = share(one.speed, 1.0);
            Coefficient { value: one.line.slope.value * left, error: one.line.slope.error * left }
        };
        let correlation: f64 = possible.iter().map(|one| one.weight * one.line.correlation).sum();
        let best = possible.iter().max_by(|one, other| one.weight.total_cmp(&other.weight))?;
        Some(Transition {
            level: estimate(center, &|one| one.line.level),
            excess: estimate(0.0, &at_end),
            effective_values: means.len() as f64 * (1.0 - correlation) / (1.0 + correlation),
            without: without(values, means.len() * length, best, unit),
        })
    }
}

/// All speeds and correlations that the batches do not rule out.
fn weighed(y: &[f64]) -> Option<Vec<Possible>> {
    let mut possible = Vec::new();
    for speed in speeds() {
        let x: Vec<f64> = (0..y.len()).map(|at| share(speed, (at as f64 + 0.5) / y.len() as f64)).collect();
        possible.extend(lines(y, &x)?.into_iter().map(|line| (speed, line)));
    }
    let (speeds, lines): (Vec<f64>, Vec<Line>) = possible.into_iter().unzip();
    let weighed = weights(&lines).into_iter().zip(speeds).zip(lines);
    let weighed = weighed.map(|((weight, speed), line)| Possible { speed, weight, line });
    Some(weighed.filter(|one| one.weight > NEGLIGIBLE).collect())
}

/// The values less the transition, which was fitted to the last `fitted` of them.
fn without(values: &[f64], fitted: usize, best: &Possible, unit: f64) -> Vec<f64> {
    let odd = values.len() - fitted;
    let excess = |at: usize| {
        let t = (at as f64 - odd as f64 + 0.5) / fitted as f64;
        best.line.slope.value * unit * share(best.speed, t)
    };
    values.iter().enumerate().map(|(at, value)| value - excess(at)).collect()
}

/// Lengths of the series in one time constant, for each that is tried.
fn speeds() -> impl Iterator<Item = f64> {
    (0..=SPEEDS).map(|step| SLOWEST * (QUICKEST / SLOWEST).powf(f64::from(step) / f64::from(SPEEDS)))
}

/// What is left of a transition at a share `t` of the series, in units of what ends within it. So the same change
/// over the series is equally likely beforehand for all speeds.
fn share(speed: f64, t: f64) -> f64 {
    (-speed * t).exp() / (1.0 - (-speed).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// Falls from 1 + `size` to 1 with a time constant of 1/`speed` of its length.
    fn falls(n: usize, size: f64, speed: f64, rho: f64, seed: u64) -> Vec<f64> {
        let noise = SplitMix64::new(seed).autoregressive(rho, n);
        let of = |at: usize| 1.0 + size * (-speed * (at as f64 + 0.5) / n as f64).exp();
        (0..n).map(|at| of(at) + 0.01 * noise[at]).collect()
    }

    #[test]
    fn the_level_is_known_before_it_is_reached() {
        const TRIALS: u64 = 60;
        for (speed, rho) in [(2.0, 0.0), (4.0, 0.5), (3.0, 0.8)] {
            let (mut levels, mut excesses) = (0, 0);
            for seed in 0..TRIALS {
                let found = Transition::of(&falls(300, 0.5, speed, rho, seed), 0.95).unwrap();
                levels += u64::from(found.level.low <= 1.0 && 1.0 <= found.level.high);
                let excess = 0.5 * (-speed).exp();
                excesses += u64::from(found.excess.low <= excess && excess <= found.excess.high);
            }
            // Nominally 95 %: three standard deviations below are 87 %.
            let least = (0.87 * TRIALS as f64) as u64;
            assert!(levels >= least && excesses >= least, "{speed} {rho}: {levels}, {excesses} of {TRIALS}");
        }
    }

    #[test]
    fn an_almost_straight_fall_does_not_tell_its_end() {
        let quick = Transition::of(&falls(300, 0.5, 4.0, 0.0, 1), 0.95).unwrap();
        let slow = Transition::of(&falls(300, 0.5, 0.3, 0.0, 1), 0.95).unwrap();
        let width = |found: &Transition| found.level.relative_half_width();
        assert!(width(&quick) < 0.01 && width(&slow) > 0.05, "{} {}", width(&quick), width(&slow));
        let spread = |values: &[f64]| values.iter().map(|value| (value - 1.0).abs()).fold(0.0, f64::max);
        assert!(spread(&quick.without) < 0.06, "the transition is taken away");
        assert!(quick.effective_values > 50.0, "{}", quick.effective_values);
    }

    #[test]
    fn too_little_is_none() {
        assert_eq!(Transition::of(&[1.0; 30], 0.95), None);
        assert_eq!(Transition::of(&falls(19, 0.5, 4.0, 0.0, 1), 0.95), None);
        assert_eq!(Transition::of(&[f64::NAN; 30], 0.95), None);
        assert_eq!(Transition::of(&falls(30, 0.5, 4.0, 0.0, 1), 1.0), None);
    }
}
