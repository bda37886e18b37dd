//! Confident steady state: a series has settled when that can be shown, and not when it merely looks flat.
//!
//! All of these must hold (research/methodology §5.2): a warm-up is cut off and at least half of the series
//! remains; the level does not change in the rest; the rest is flat within a tolerance, with confidence; and
//! the mean is known as precisely as was asked, at the level that this look may spend. Coverage of the
//! device and taints are judged by the caller, who knows them.
//!
//! After a long transition that would take as long again. So there is a second way: the second half of the series
//! approaches a level, the end of the series is as near to it as the tolerance says, and the level is known as
//! precisely as was asked (see [`Transition`]).

use fathom_stats::{BatchMeans, Estimate, Transition, Trend, WarmUp, alpha_of_look, change_points};

/// The level of the tests that are not the interval of the mean.
const CONFIDENCE: f64 = 0.95;

/// The share of what a look may spend that belongs to the second way. Both ways together spend all of it.
const TRANSITION_SHARE: f64 = 0.1;

/// What is asked of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidentTerms {
    /// The half width of the interval of the mean, as a share of it.
    pub half_width: f64,
    /// The drift over the kept part that counts as none, as a share of the mean.
    pub drift: f64,
}

impl ConfidentTerms {
    /// 2 % for a rate, and a drift of 5 % (research/methodology §5.1, §5.2).
    pub const OF_RATE: ConfidentTerms = ConfidentTerms { half_width: 0.02, drift: 0.05 };
}

/// Why a series has not settled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NotSettled {
    /// There are fewer than twenty values, or some that are no numbers.
    TooShort,
    /// Less than half of it remains after its warm-up.
    WarmUp,
    /// Its last level began at this value, and holds for less than half of the series.
    LevelChanged {
        /// The first value of the last level.
        at: usize,
    },
    /// It cannot be shown that it is flat.
    Drifts {
        /// The change over the kept part, as a share of the mean.
        change: f64,
        /// The limit of the interval of the change that is farther from 0, as a share of the mean.
        most: f64,
    },
    /// Neighbouring values are so much alike that they are worth fewer than ten independent ones.
    Alike {
        /// How many independent values would tell as much.
        effective_values: f64,
    },
    /// The mean is not known precisely enough.
    Unsure {
        /// The half width of its interval, as a share of it.
        half_width: f64,
        /// How many times the length of the kept part would be needed, as the half width falls with the root
        /// of the length.
        times_longer: f64,
    },
}

/// A series whose values are so much alike that it is worth fewer independent ones has not been seen for long enough:
/// a slow fall looks like that.
const EFFECTIVE_MIN: f64 = 10.0;

/// What is known of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Confident {
    /// The first value that is kept: after the warm-up and after the last change of the level.
    pub kept_from: usize,
    /// The mean of the kept part, with the interval that this look allows; `None` for too few values.
    pub mean: Option<Estimate>,
    /// How many independent values would tell as much as the kept ones.
    pub effective_values: f64,
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

    /// Looks at a series of equally long spans for the `look`-th time (1, 2, …). Each look spends a part of
    /// the 5 % by which all looks together may be wrong.
    pub fn of(values: &[f64], terms: &ConfidentTerms, look: u32) -> Confident {
        let alpha = alpha_of_look(1.0 - CONFIDENCE, look);
        let flat = Confident::flat(values, terms, 1.0 - alpha * (1.0 - TRANSITION_SHARE));
        let approaches = || Confident::approaches(values, terms, 1.0 - alpha * TRANSITION_SHARE);
        if flat.is_settled() { flat } else { approaches().unwrap_or(flat) }
    }

    /// The second way; `None` if it has not settled.
    fn approaches(values: &[f64], terms: &ConfidentTerms, confidence: f64) -> Option<Confident> {
        let kept_from = values.len() / 2;
        let transition = Transition::of(&values[kept_from..], confidence)?;
        let level = transition.level;
        let excess = transition.excess.low.abs().max(transition.excess.high.abs());
        let is_settled = excess <= terms.drift * level.value.abs()
            && level.relative_half_width() <= terms.half_width
            && transition.effective_values >= EFFECTIVE_MIN
            && change_points(&transition.without).is_empty();
        is_settled.then(|| Confident {
            kept_from,
            mean: Some(level),
            effective_values: transition.effective_values,
            against: Vec::new(),
        })
    }

    /// The first way.
    fn flat(values: &[f64], terms: &ConfidentTerms, confidence: f64) -> Confident {
        let too_short = Confident {
            kept_from: 0,
            mean: None,
            effective_values: 0.0,
            against: vec![NotSettled::TooShort],
        };
        let warm_up = WarmUp::of(values).filter(|_| values.len() >= Confident::VALUES_MIN);
        let Some(warm_up) = warm_up else { return too_short };
        let mut against = Vec::new();
        if !warm_up.is_settled {
            against.push(NotSettled::WarmUp);
        }
        let mut kept_from = warm_up.values;
        if let Some(at) = change_points(&values[kept_from..]).last() {
            kept_from += at;
            if kept_from * 2 > values.len() {
                against.push(NotSettled::LevelChanged { at: kept_from });
            }
        }
        let kept = &values[kept_from..];
        let (fine, coarse) = (BatchMeans::fine(kept, confidence), BatchMeans::of(kept, CONFIDENCE));
        let trend = Trend::of(kept, CONFIDENCE);
        let (Some(means), Some(coarse), Some(trend)) = (fine, coarse, trend) else { return too_short };
        if !trend.is_flat_within(terms.drift) {
            let most = trend.change.high.abs().max(trend.change.low.abs());
            let of_mean = |value: f64| value / trend.mean.abs();
            against.push(NotSettled::Drifts { change: of_mean(trend.change.value), most: of_mean(most) });
        }
        // Fine batches are as sure as this look must be; coarse ones see what changes slowly. The wider interval counts.
        let width = |means: &BatchMeans| means.estimate.high - means.estimate.low;
        let mean = if width(&coarse) > width(&means) { coarse.estimate } else { means.estimate };
        let half_width = mean.relative_half_width();
        if half_width.is_nan() || half_width > terms.half_width {
            let times_longer = (half_width / terms.half_width).powi(2);
            against.push(NotSettled::Unsure { half_width, times_longer });
        }
        let effective_values = means.effective_values();
        if effective_values.is_nan() || effective_values < EFFECTIVE_MIN {
            against.push(NotSettled::Alike { effective_values });
        }
        Confident { kept_from, mean: Some(mean), effective_values, against }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steady::{PtsGate, WINDOW_ROUNDS, steady_round};
    use fathom_stats::SplitMix64;

    fn look(values: &[f64]) -> Confident {
        Confident::of(values, &ConfidentTerms::OF_RATE, 1)
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
        assert!(look(&flat).is_settled(), "{:?}", look(&flat));
        let stepped = [noise(1_000.0, 200), noise(965.0, 100)].concat();
        let is_step =
            |one: &NotSettled| matches!(one, NotSettled::LevelChanged { at } if at.abs_diff(200) < 30);
        assert!(look(&stepped).against.iter().any(is_step), "{:?}", look(&stepped));
        let late = [noise(1_000.0, 200), noise(800.0, 60)].concat();
        assert_eq!(look(&late).against[0], NotSettled::WarmUp);
        let early = [noise(3_000.0, 40), noise(1_000.0, 300)].concat();
        let early = look(&early);
        assert!(early.is_settled() && early.kept_from.abs_diff(40) <= 12, "{early:?}");
        let wide: Vec<f64> = (0..60).map(|_| 1_000.0 * (1.0 + 0.3 * random.normal())).collect();
        let is_wide =
            |one: &NotSettled| matches!(one, NotSettled::Unsure { times_longer, .. } if *times_longer > 1.0);
        assert!(look(&wide).against.iter().any(is_wide), "{:?}", look(&wide));
        assert_eq!(look(&flat[..19]).against, [NotSettled::TooShort]);
        assert_eq!(look(&[0.0; 30]).mean.map(|mean| mean.value), Some(0.0));
        assert!(!look(&[0.0; 30]).is_settled());
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

    #[test]
    fn a_transition_ends_when_its_level_is_known() {
        // y = F·(1 + 2·e^(−t/τ)): the kept half must be within 5 % of F, which is after 3.7 τ.
        let mut random = SplitMix64::new(5);
        let values: Vec<f64> = (0..1_000)
            .map(|t| 1_000.0 * (1.0 + 2.0 * (-f64::from(t) / 100.0).exp()) * (1.0 + 0.01 * random.normal()))
            .collect();
        assert!((60..370).step_by(10).all(|length| !look(&values[..length]).is_settled()));
        let settled = (370..).step_by(10).find(|length| look(&values[..*length]).is_settled()).unwrap();
        let found = look(&values[..settled]);
        let mean = found.mean.unwrap();
        assert!(settled < 600 && mean.low < 1_000.0 && 1_000.0 < mean.high, "{settled}: {found:?}");
    }
}
