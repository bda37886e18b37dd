//! Confident steady state: a series has settled when that can be shown, and not when it merely looks flat.
//!
//! All of these must hold: a warm-up is cut off and at least half of the series
//! remains; the level does not change in the rest; and what is told holds for the time that follows too: the mean of the
//! rest and the forecast of that time lie, with their intervals, within the precision that was asked. So the drift that
//! is allowed follows the precision, and how long a series must be follows its noise. Coverage of the device and taints
//! are judged by the caller, who knows them.
//!
//! After a long transition that would take as long again. So there is a second way: the second half of the series
//! approaches a level, and that level and what is left of the transition lie within the precision (see [`Transition`]).
//!
//! A series cannot show what begins after it: the end of a cache, a limit, heat. Nor can it show a wave that is
//! much longer than itself.

use fathom_results::NotSettled;
use fathom_stats::{
    BatchMeans, Estimate, Transition, WarmUp, alpha_of_look, change_points, forecast, times_longer,
};

/// The level of the tests that are not the interval of the mean.
const CONFIDENCE: f64 = 0.95;

/// The share of what a look may spend that belongs to the second way. Both ways together spend all of it.
const TRANSITION_SHARE: f64 = 0.1;

/// The second way needs a kept part of so many times what follows: before the crest of a wave, a series looks as if it
/// approached a level. Of a wave that is so long, little shows in the time that follows (simulated; with 2, sines of four
/// lengths of the kept part were called settled at their crest).
const TRANSITION_LENGTHS: f64 = 4.0;

/// What is asked of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidentTerms {
    /// How far the mean that is told may be from the one of the time that follows, as a share of it.
    pub half_width: f64,
}

impl ConfidentTerms {
    /// 2 % for a rate. (Our choice.)
    pub const OF_RATE: ConfidentTerms = ConfidentTerms { half_width: 0.02 };
}

/// A series whose values are so much alike that it is worth fewer independent ones has not been seen for long enough:
/// a slow fall looks like that.
const EFFECTIVE_MIN: f64 = 10.0;

/// What is known of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Confident {
    /// The first value that is kept: after the warm-up and after the last change of the level.
    pub kept_from: usize,
    /// The mean of the kept part, with an interval that holds it and, if the series has settled, the mean of the time that
    /// follows; `None` for too few values.
    pub mean: Option<Estimate>,
    /// How many independent values would tell as much as the kept ones.
    pub effective_values: f64,
    /// Would a series with this noise and without a drift have settled? Else the look could not end anything, and has
    /// spent nothing.
    pub could_settle: bool,
    /// Everything that speaks against it; empty when it has settled.
    pub against: Vec<NotSettled>,
}

impl Confident {
    /// With fewer values nothing is said.
    pub const VALUES_MIN: usize = 20;

    /// Has it settled?
    pub fn is_settled(&self) -> bool {
        self.against.is_empty()
    }

    /// Looks at a series of equally long spans for the `look`-th time (1, 2, …), and whether what it tells holds for
    /// `ahead` further values. Each look spends a part of the 5 % by which all looks together may be wrong.
    pub fn of(values: &[f64], terms: &ConfidentTerms, ahead: f64, look: u32) -> Confident {
        let alpha = alpha_of_look(1.0 - CONFIDENCE, look);
        let flat = Confident::flat(values, terms, ahead, 1.0 - alpha * (1.0 - TRANSITION_SHARE));
        let approaches = || Confident::approaches(values, terms, ahead, 1.0 - alpha * TRANSITION_SHARE);
        if flat.is_settled() { flat } else { approaches().unwrap_or(flat) }
    }

    /// The second way; `None` if it has not settled.
    fn approaches(values: &[f64], terms: &ConfidentTerms, ahead: f64, confidence: f64) -> Option<Confident> {
        let kept_from = values.len() / 2;
        if ((values.len() - kept_from) as f64) < TRANSITION_LENGTHS * ahead {
            return None;
        }
        let transition = Transition::of(&values[kept_from..], confidence)?;
        let (level, excess) = (transition.level, transition.excess);
        // The time that follows lies between the end of the series and the level.
        let most = (level.high - level.value + excess.high.max(0.0))
            .max(level.value - level.low - excess.low.min(0.0));
        let told = Estimate::around(level.value, most, values.len() - kept_from, confidence);
        let is_settled = told.relative_half_width() <= terms.half_width
            && transition.effective_values >= EFFECTIVE_MIN
            && change_points(&transition.without).is_empty();
        is_settled.then(|| Confident {
            kept_from,
            mean: Some(told),
            effective_values: transition.effective_values,
            could_settle: true,
            against: Vec::new(),
        })
    }

    /// The first way.
    fn flat(values: &[f64], terms: &ConfidentTerms, ahead: f64, confidence: f64) -> Confident {
        let too_short = Confident {
            kept_from: 0,
            mean: None,
            effective_values: 0.0,
            could_settle: false,
            against: vec![NotSettled::TooShort],
        };
        let mut against = Vec::new();
        let Some(kept_from) = level_from(values, &mut against) else { return too_short };
        let kept = &values[kept_from..];
        let Some((mean, effective_values)) = sure_mean(kept, confidence) else { return too_short };
        if effective_values.is_nan() || effective_values < EFFECTIVE_MIN {
            against.push(NotSettled::Alike { effective_values });
        }
        let half_width = mean.relative_half_width();
        if half_width.is_nan() || half_width > terms.half_width {
            let times_longer = (half_width / terms.half_width).powi(2);
            against.push(NotSettled::Unsure { half_width, times_longer });
        }
        // Two one-sided tests (D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987) 657-680): the mean
        // that follows cannot be too high and too low. The looks share no 5 % here: the width of the forecast decides when a
        // series can settle, and not chance, so that of hundreds of simulated stops hardly one was wrong.
        let next = forecast(kept, ahead, 2.0 * CONFIDENCE - 1.0);
        let Some(next) = next else { return Confident { kept_from, ..too_short } };
        let of_mean = |value: f64| value / mean.value.abs();
        let most = of_mean((next.high - mean.value).max(mean.value - next.low));
        let half = of_mean((next.high - next.low) / 2.0);
        let could_settle = against.is_empty() && half <= terms.half_width;
        if most.is_nan() || most > terms.half_width {
            let change = of_mean(next.value - mean.value);
            let times_longer = times_longer(kept.len(), ahead, terms.half_width / most);
            against.push(match change.abs() > half {
                true => NotSettled::Drifts { change, most, ahead_s: 0 },
                false => NotSettled::Short {
                    most,
                    times_longer: Some(times_longer).filter(|times| times.is_finite()),
                    ahead_s: 0,
                },
            });
        }
        let most = half_width.max(most) * mean.value.abs();
        let told = match against.is_empty() {
            true => Estimate::around(mean.value, most, kept.len(), CONFIDENCE),
            false => mean,
        };
        Confident { kept_from, mean: Some(told), effective_values, could_settle, against }
    }
}

/// Where the last level of the values begins, and what speaks against it; `None` where there are too few values.
fn level_from(values: &[f64], against: &mut Vec<NotSettled>) -> Option<usize> {
    let warm_up = WarmUp::of(values).filter(|_| values.len() >= Confident::VALUES_MIN)?;
    if !warm_up.is_settled {
        against.push(NotSettled::WarmUp);
    }
    let changed = change_points(&values[warm_up.values..]).last().map(|at| warm_up.values + at);
    let late = changed.filter(|at| at * 2 > values.len());
    against.extend(late.map(|at| NotSettled::LevelChanged { at, span_s: 0 }));
    Some(changed.unwrap_or(warm_up.values))
}

/// The mean, and of how many values that are independent of each other.
fn sure_mean(kept: &[f64], confidence: f64) -> Option<(Estimate, f64)> {
    let (fine, coarse) = (BatchMeans::fine(kept, confidence)?, BatchMeans::of(kept, CONFIDENCE)?);
    // Fine batches are as sure as this look must be; coarse ones see what changes slowly. The wider interval counts.
    let width = |means: &BatchMeans| means.estimate.high - means.estimate.low;
    let mean = if width(&coarse) > width(&fine) { coarse.estimate } else { fine.estimate };
    Some((mean, fine.effective_values()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steady::{PtsGate, WINDOW_ROUNDS, steady_round};
    use fathom_stats::SplitMix64;

    /// Looks at a series, and at a time that follows of half its length.
    fn look(values: &[f64]) -> Confident {
        Confident::of(values, &ConfidentTerms::OF_RATE, values.len() as f64 / 2.0, 1)
    }

    #[test]
    fn the_interval_holds_the_truth_under_correlation() {
        // Nominally 95 %; §5.2 asks for 93 %.
        const TRIALS: u32 = 300;
        for (rho, n) in [(0.0, 120), (0.5, 300), (0.8, 600), (0.9, 900), (0.95, 1_800)] {
            let mut random = SplitMix64::new(n as u64);
            let mut held = 0;
            for _ in 0..TRIALS {
                let series = random.autoregressive(rho, n);
                let values: Vec<f64> = series.iter().map(|noise| 1_000.0 + 20.0 * noise).collect();
                let mean = look(&values).mean.unwrap();
                held += u32::from(mean.low <= 1_000.0 && 1_000.0 <= mean.high);
            }
            let held = f64::from(held) / f64::from(TRIALS);
            assert!(held >= 0.93, "rho {rho}: {held}");
        }
    }

    #[test]
    fn a_flat_series_settles_and_each_fault_is_named() {
        let mut random = SplitMix64::new(9);
        let mut noise = |level: f64, n: usize| -> Vec<f64> {
            (0..n).map(|_| level * (1.0 + 0.02 * random.normal())).collect()
        };
        let flat = noise(1_000.0, 300);
        let stepped = [noise(1_000.0, 200), noise(965.0, 100)].concat();
        let is_step =
            |one: &NotSettled| matches!(one, NotSettled::LevelChanged { at, .. } if at.abs_diff(200) < 30);
        assert!(look(&stepped).against.iter().any(is_step), "{:?}", look(&stepped));
        let late = [noise(1_000.0, 200), noise(800.0, 60)].concat();
        assert_eq!(look(&late).against[0], NotSettled::WarmUp);
        let early = [noise(3_000.0, 40), noise(1_000.0, 300)].concat();
        let early = Confident::of(&early, &ConfidentTerms::OF_RATE, 10.0, 1);
        assert!(early.is_settled() && early.kept_from.abs_diff(40) <= 12, "{early:?}");
        let wide: Vec<f64> = (0..60).map(|_| 1_000.0 * (1.0 + 0.3 * random.normal())).collect();
        let is_wide =
            |one: &NotSettled| matches!(one, NotSettled::Unsure { times_longer, .. } if *times_longer > 1.0);
        assert!(look(&wide).against.iter().any(is_wide), "{:?}", look(&wide));
        assert_eq!(look(&flat[..19]).against, [NotSettled::TooShort]);
        assert_eq!(look(&[0.0; 30]).mean.map(|mean| mean.value), Some(0.0));
        assert!(!look(&[0.0; 30]).is_settled());
        // The mean of the ten minutes that follow takes longer to know than the mean of these.
        let ahead = |values: &[f64]| Confident::of(values, &ConfidentTerms::OF_RATE, 600.0, 1);
        assert!(Confident::of(&flat, &ConfidentTerms::OF_RATE, 10.0, 1).is_settled());
        let short = ahead(&flat[..200]).against;
        let is_short = |one: &NotSettled| matches!(one, NotSettled::Short { times_longer: Some(times), .. } if (1.1..8.0).contains(times));
        assert!(short.len() == 1 && is_short(&short[0]), "{short:?}");
        let flat: Vec<f64> = (0..1_500).map(|_| 1_000.0 * (1.0 + 0.02 * random.normal())).collect();
        assert!(ahead(&flat).is_settled(), "{:?}", ahead(&flat));
    }

    #[test]
    fn decays_that_pass_the_gate_of_the_standard_are_rejected() {
        // y = F·(1 + A·e^(−t/τ)), t in rounds of sixty values, cut where the standard's gate passes first.
        for (tau, a) in [(10.0, 0.5), (10.0, 1.0), (20.0, 0.5), (20.0, 1.0), (40.0, 1.0), (40.0, 2.0)] {
            let mut random = SplitMix64::new(3);
            let values: Vec<f64> = (0..25 * 60)
                .map(|t| {
                    1_000.0 * (1.0 + a * (-f64::from(t) / 60.0 / tau).exp()) * (1.0 + 0.01 * random.normal())
                })
                .collect();
            let rounds: Vec<Option<f64>> =
                values.chunks(60).map(|round| Some(round.iter().sum::<f64>() / 60.0)).collect();
            let round = steady_round(std::slice::from_ref(&rounds)).expect("the gate is fooled");
            assert!(PtsGate::of(&rounds[..round]).unwrap().mean > 1_040.0 && round >= WINDOW_ROUNDS);
            // Nor are they called settled later, as long as they are more than 10 % above their end.
            let falls = (round..=25).take_while(|round| a * (-(*round as f64) / tau).exp() > 0.10);
            for round in falls {
                let found = look(&values[..round * 60]);
                assert!(!found.is_settled(), "τ {tau}, A {a}, round {round}: {found:?}");
            }
        }
    }

    /// The precision that is asked decides which drift is allowed: 0.2 % a minute is 1.7 % from the middle of the series to
    /// that of the ten minutes that follow.
    #[test]
    fn the_drift_that_is_allowed_follows_the_precision() {
        let mut random = SplitMix64::new(11);
        let values: Vec<f64> = (0..400)
            .map(|t| 1_000.0 * (1.0 - 0.002 * f64::from(t) / 60.0) * (1.0 + 0.02 * random.normal()))
            .collect();
        let of = |half_width| Confident::of(&values, &ConfidentTerms { half_width }, 600.0, 1);
        assert!(!of(0.02).is_settled());
        let loose = of(0.15);
        let mean = loose.mean.unwrap();
        assert!(loose.is_settled() && mean.low < 977.0 && mean.relative_half_width() < 0.15, "{loose:?}");
    }

    #[test]
    fn a_transition_ends_when_its_level_is_known() {
        // y = F·(1 + 2·e^(−t/τ)): what is left of it must be less than 2 % of F, which is after 4.6 τ.
        let mut random = SplitMix64::new(5);
        let values: Vec<f64> = (0..1_000)
            .map(|t| 1_000.0 * (1.0 + 2.0 * (-f64::from(t) / 100.0).exp()) * (1.0 + 0.01 * random.normal()))
            .collect();
        let look = |length: usize| Confident::of(&values[..length], &ConfidentTerms::OF_RATE, 10.0, 1);
        assert!((60..400).step_by(10).all(|length| !look(length).is_settled()));
        let settled = (400..1_000).step_by(10).find(|length| look(*length).is_settled()).unwrap();
        let found = look(settled);
        let mean = found.mean.unwrap();
        assert!(settled < 600 && mean.low < 1_000.0 && 1_000.0 < mean.high, "{settled}: {found:?}");
    }
}
