//! How many runs a difference needs before it can be told, or its absence.
//!
//! Few runs know neither the difference nor its spread well. So the number is the least that decides with the probability
//! [`RELIABLE`], averaged over the differences and the spreads that the runs leave possible: the spread by χ², the difference
//! around the one that was seen, as if all of them were equally likely before ("assurance": A. O'Hagan, J. W. Stevens & M. J.
//! Campbell, "Assurance in clinical trial design", Pharmaceutical Statistics 4 (2005) 187-201). A number for the difference that
//! was seen alone would decide in half of all cases.

use crate::estimate::{mean, sample_variance};
use crate::mean_ratio::RUNS_MIN;
use crate::normal::{normal_below, normal_quantile};
use crate::student::t_two_sided;
use std::f64::consts::FRAC_PI_3;

/// More runs than this are not proposed: something else must change then.
pub const RUNS_MAX: u32 = 1_000;

/// How likely the number of runs decides: the 80 % that are promised, and a margin, because the rest is taken to be normally distributed.
const RELIABLE: f64 = 0.83;

/// Into so many equally likely values the possible spreads and the possible differences are divided.
const SPREADS: u32 = 8;
const DIFFERENCES: u32 = 16;

/// What runs of two sides tell of their difference: its value, and how it varies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeenDifference {
    /// The difference: of means `ratio − 1`, else the logarithm of the ratio.
    effect: f64,
    /// Square of its standard error if each side had one run.
    variance: f64,
    /// Runs of each side.
    runs: u32,
    /// Degrees of freedom of the variance for each run above the first.
    degrees: f64,
}

impl SeenDifference {
    /// Of the means of independent runs. The ratio magnifies the spread of the candidate.
    pub fn of_means(baseline: &[f64], candidate: &[f64]) -> Option<SeenDifference> {
        let base = mean(baseline);
        let runs = baseline.len().min(candidate.len());
        if runs < RUNS_MIN || base.is_nan() || base <= 0.0 {
            return None;
        }
        let squared = |values: &[f64]| sample_variance(values) / (base * base);
        let (from, to) = (squared(baseline), squared(candidate));
        let effect = mean(candidate) / base - 1.0;
        SeenDifference::of_sides(effect, (from, to), runs)
    }

    /// Of independent runs that are compared by their order, around this ratio. Beside a test of means that of ranks needs π/3 times as
    /// many runs where the values are normal (E. J. G. Pitman's efficiency), and fewer where they have long tails.
    pub fn of_ranks(baseline: &[f64], candidate: &[f64], ratio: f64) -> Option<SeenDifference> {
        let runs = baseline.len().min(candidate.len());
        let is_positive = baseline.iter().chain(candidate).chain([&ratio]).all(|value| *value > 0.0);
        if runs < RUNS_MIN || !is_positive {
            return None;
        }
        let squared = |values: &[f64]| sample_variance(&logs(values)) * FRAC_PI_3;
        SeenDifference::of_sides(ratio.ln(), (squared(baseline), squared(candidate)), runs)
    }

    /// Of pairs that were measured one after the other.
    pub fn of_pairs(baseline: &[f64], candidate: &[f64]) -> Option<SeenDifference> {
        let is_positive = baseline.iter().chain(candidate).all(|value| *value > 0.0);
        if baseline.len() != candidate.len() || baseline.len() < RUNS_MIN || !is_positive {
            return None;
        }
        let ratios: Vec<f64> = baseline.iter().zip(candidate).map(|(from, to)| (to / from).ln()).collect();
        let (effect, variance) = (mean(&ratios), sample_variance(&ratios));
        Some(SeenDifference { effect, variance, runs: baseline.len() as u32, degrees: 1.0 })
    }

    fn of_sides(effect: f64, (from, to): (f64, f64), runs: usize) -> Option<SeenDifference> {
        let variance = from + to;
        // Welch and Satterthwaite: two for equal spreads, one where one side has all of it.
        let degrees = if variance > 0.0 { variance.powi(2) / (from.powi(2) + to.powi(2)) } else { 2.0 };
        let is_usable = effect.is_finite() && variance.is_finite();
        is_usable.then_some(SeenDifference { effect, variance, runs: runs as u32, degrees })
    }

    /// The runs that each side needs so that the difference is told, or that there is none above `tolerance`. `level` is the
    /// probability up to which a difference is told: smaller where many figures are compared. `None` where more than
    /// 1,000 would be needed.
    pub fn runs_needed(&self, tolerance: f64, level: f64, confidence: f64) -> Option<u32> {
        let terms = Terms { tolerance, level, confidence };
        let possible = self.possible();
        let is_enough = |runs: u32| self.chance(runs, &possible, &terms) >= RELIABLE;
        if !is_enough(RUNS_MAX) {
            return None;
        }
        // As many as there are were not enough.
        let least = self.runs + 1;
        let doubled =
            std::iter::successors(Some(least), |runs| Some(runs * 2)).take_while(|it| *it < RUNS_MAX);
        let high = doubled.into_iter().find(|runs| is_enough(*runs)).unwrap_or(RUNS_MAX.max(least));
        let (mut low, mut high) = ((high / 2).max(least - 1), high);
        while high - low > 1 {
            let middle = low.midpoint(high);
            if is_enough(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }

    /// The differences and variances that the runs leave possible, all equally likely.
    fn possible(&self) -> Vec<(f64, f64)> {
        let degrees = self.degrees * f64::from(self.runs - 1);
        let each = |count: u32| {
            (0..count).filter_map(move |at| normal_quantile((f64::from(at) + 0.5) / f64::from(count)))
        };
        let spreads = each(SPREADS).map(|z| self.variance * degrees / chi_square(z, degrees));
        spreads
            .flat_map(|variance| {
                let error = (variance / f64::from(self.runs)).sqrt();
                each(DIFFERENCES).map(move |z| (self.effect + z * error, variance))
            })
            .collect()
    }

    /// How likely so many runs of each side decide.
    fn chance(&self, runs: u32, possible: &[(f64, f64)], terms: &Terms) -> f64 {
        let degrees = ((self.degrees * f64::from(runs - 1)) as u64).max(1);
        let width = |confidence| t_two_sided(confidence, degrees).unwrap_or(f64::INFINITY);
        let (told, interval) = (width(1.0 - terms.level), width(terms.confidence));
        let open = |(effect, variance): &(f64, f64)| {
            let error = (variance / f64::from(runs)).sqrt();
            if error == 0.0 {
                return 0.0;
            }
            // From here on the interval is not inside the tolerance, and up to there no difference is told.
            let (from, to) = ((terms.tolerance - interval * error).max(0.0), told * error);
            let below = |limit: f64| normal_below((limit - effect) / error);
            if from >= to { 0.0 } else { below(to) - below(from) + below(-from) - below(-to) }
        };
        1.0 - possible.iter().map(open).sum::<f64>() / possible.len() as f64
    }
}

/// When a figure is decided.
struct Terms {
    tolerance: f64,
    level: f64,
    confidence: f64,
}

fn logs(values: &[f64]) -> Vec<f64> {
    values.iter().map(|value| value.ln()).collect()
}

/// The value of χ² at the place of this normal quantile (E. B. Wilson & M. M. Hilferty, Proceedings of the National Academy of
/// Sciences 17 (1931) 684-688).
fn chi_square(z: f64, degrees: f64) -> f64 {
    let part = 2.0 / (9.0 * degrees);
    degrees * (1.0 - part + z * part.sqrt()).max(0.05).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mean_ratio::mean_ratio;
    use crate::random::SplitMix64;

    const TOLERANCE: f64 = 0.03;

    fn needed(baseline: &[f64], candidate: &[f64]) -> Option<u32> {
        SeenDifference::of_means(baseline, candidate)?.runs_needed(TOLERANCE, 0.05, 0.95)
    }

    #[test]
    fn more_noise_needs_more_runs_and_a_larger_ratio_too() {
        let around =
            |mean: f64, noise: f64| [-1.2, -0.5, 0.0, 0.5, 1.2].map(|part| mean * (1.0 + noise * part));
        let of = |noise: f64| needed(&around(1.0, noise), &around(1.3, noise)).unwrap();
        assert!(of(0.1) < of(0.2) && of(0.2) < of(0.3), "{} {} {}", of(0.1), of(0.2), of(0.3));
        // A spread of 70 % beside five times the rate: the error of the ratio is five times that of the candidate's mean, and two
        // runs, which would do for a ratio near 1, are by far too few.
        let far = needed(&around(1.0, 0.75), &around(5.0, 0.75)).unwrap();
        assert!((15..=30).contains(&far), "{far}");
        let noisy = needed(&[1.0, 1.3, 0.7], &[1.001, 1.9, 0.1]);
        assert!(noisy.is_none_or(|runs| runs > 100), "much noise, and no difference: {noisy:?}");
        assert_eq!(needed(&[5.0; 2], &[5.0; 3]), None);
        assert_eq!(needed(&[5.0; 3], &[5.0; 3]), Some(4));
    }

    /// How many planned comparisons decide, of how many for which up to 100 runs are told, and the median of these numbers.
    fn decided(ratio: f64, noise: f64, runs: usize, trials: u32, seed: u64) -> (u32, u32, u32) {
        let mut random = SplitMix64::new(seed);
        let mut side = |mean: f64, runs: usize| -> Vec<f64> {
            (0..runs).map(|_| (mean * (1.0 + noise * random.normal())).max(0.0)).collect()
        };
        let (mut told, mut held) = (0, 0);
        let (mut left, mut numbers) = (trials * 40, Vec::new());
        while told < trials && left > 0 {
            left -= 1;
            let (from, to) = (side(1_000.0, runs), side(1_000.0 * ratio, runs));
            let is_decided = |from: &[f64], to: &[f64]| {
                let Some(found) = mean_ratio(from, to, 0.95) else { return false };
                let is_same = found.ratio.low >= 1.0 - TOLERANCE && found.ratio.high <= 1.0 + TOLERANCE;
                found.p_value <= 0.05 || is_same
            };
            if is_decided(&from, &to) {
                continue;
            }
            let Some(runs) = needed(&from, &to).filter(|runs| *runs <= 100) else { continue };
            told += 1;
            numbers.push(runs);
            held +=
                u32::from(is_decided(&side(1_000.0, runs as usize), &side(1_000.0 * ratio, runs as usize)));
        }
        numbers.sort_unstable();
        (held, told, numbers.get(numbers.len() / 2).copied().unwrap_or(0))
    }

    /// `cargo test -p fathom-stats planned -- --nocapture` prints the table; with `TRIALS=400` that of docs/measurement.md.
    #[test]
    #[allow(clippy::print_stdout, reason = "the table of docs/measurement.md is made of it")]
    fn planned_runs_decide_in_four_of_five_trials() {
        let trials: u32 = std::env::var("TRIALS").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
        let (mut held_all, mut told_all) = (0, 0);
        for (place, (ratio, noise, runs)) in [
            (1.0, 0.01, 3),
            (1.0, 0.02, 5),
            (1.02, 0.02, 3),
            (1.05, 0.03, 3),
            (1.05, 0.03, 5),
            (1.1, 0.05, 5),
            (1.3, 0.15, 3),
            (2.0, 0.3, 3),
            (2.0, 0.3, 5),
            (5.0, 0.5, 3),
            (5.0, 0.5, 5),
            (18.0, 0.6, 3),
            (0.5, 0.3, 3),
            (0.1, 0.6, 5),
        ]
        .into_iter()
        .enumerate()
        {
            let (held, told, middle) = decided(ratio, noise, runs, trials, 360 + place as u64);
            println!("ratio {ratio:<5} noise {noise:<5} runs {runs}: {held} of {told}, about {middle} runs");
            let share = f64::from(held) / f64::from(told.max(1));
            // Three standard errors of a share of 80 % in so many trials.
            let margin = 3.0 * (0.16 / f64::from(told.max(1))).sqrt();
            assert!(
                told < 20 || share >= 0.8 - margin,
                "ratio {ratio}, noise {noise}, {runs} runs: {held} of {told}"
            );
            (held_all, told_all) = (held_all + held, told_all + told);
        }
        assert!(f64::from(held_all) >= 0.8 * f64::from(told_all), "{held_all} of {told_all}");
        assert!(told_all > 8 * trials, "{told_all}");
    }
}
