//! How much a figure varies from round to round, and what that means.
//!
//! Intel's guide asks for three runs of ten minutes, and to look into any spread above 5 %
//! (contract I-27). If only the first rounds differ, the device was not conditioned; if all do, look at its
//! firmware and its health (I-50).

use super::History;
use fathom_results::procedure::{RoundDone, RoundFigures};
use fathom_stats::Series;
use fathom_text::quantity::percent;

/// The standard deviation, as a share of the mean, from which on the spread is told (I-50).
const TOLD_FROM: f64 = 0.05;

/// From so many rounds on, their order says something.
const ROUNDS_TOLD_FROM: usize = 5;

/// Fewer rounds have neither a spread nor a trend.
const ROUNDS_FOR_A_TREND: usize = 3;

/// What the spread of each job's rate says, one sentence for each job that varies too much.
pub(super) fn doubts(history: &History<'_>) -> Vec<String> {
    let rounds: Vec<&RoundDone> = history.rounds().collect();
    let jobs = rounds.iter().map(|round| round.figures.len()).min().unwrap_or(0);
    (0..jobs).filter_map(|job| doubt(rounds.iter().map(|round| &round.figures[job]))).collect()
}

/// The job whose rate varies most, if one varies too much, in few words: `a varies by 11 % from round to round`.
pub(super) fn widest(history: &History<'_>) -> Option<String> {
    let rounds: Vec<&RoundDone> = history.rounds().collect();
    let jobs = rounds.iter().map(|round| round.figures.len()).min().unwrap_or(0);
    let spread = |job: usize| {
        let rates = rates(rounds.iter().map(|round| &round.figures[job]))?;
        Some((variation(&rates)?, &rounds.first()?.figures[job].job))
    };
    let widest = (0..jobs).filter_map(spread).max_by(|a, b| a.0.total_cmp(&b.0));
    let (spread, name) = widest.filter(|(spread, _)| *spread > TOLD_FROM)?;
    Some(format!("{name} varies by {} from round to round", percent(spread)))
}

/// How much the rounds vary where that is no doubt: `the rounds vary by 2.9 % (standard deviation), without a trend`. `None`
/// for few rounds, for several jobs, and where [`doubts`] says that they vary too much.
pub(super) fn told(history: &History<'_>) -> Option<String> {
    let rounds: Vec<&RoundDone> = history.rounds().collect();
    if rounds.len() < ROUNDS_TOLD_FROM || rounds.iter().any(|round| round.figures.len() != 1) {
        return None;
    }
    let rates = rates(rounds.iter().map(|round| &round.figures[0]))?;
    let spread = variation(&rates).filter(|spread| *spread <= TOLD_FROM)?;
    let trend = match one_way(&rates) {
        Some(Trend::Falls) => "and fall",
        Some(Trend::Rises) => "and rise",
        _ => "without a trend",
    };
    Some(format!("the rounds vary by {} (standard deviation), {trend}", percent(spread)))
}

fn doubt<'r>(figures: impl Iterator<Item = &'r RoundFigures>) -> Option<String> {
    let figures: Vec<&RoundFigures> = figures.collect();
    let rates = rates(figures.iter().copied())?;
    let spread = variation(&rates)?;
    if spread <= TOLD_FROM {
        return None;
    }
    let name = &figures.first()?.job;
    let why = match trend(&rates) {
        Some(Trend::Falls) => {
            "It falls from round to round: the device is not in its steady state, or gets hot. Measure longer, \
             or precondition it."
        }
        Some(Trend::Rises) => {
            "It rises from round to round: the first rounds find the device, or a cache, in another state. \
             Measure longer, or precondition it."
        }
        Some(Trend::First(1)) => {
            "Only the first round differs: the device was not in its steady state. Precondition it for longer."
        }
        Some(Trend::First(_)) => {
            "Only the first rounds differ: the device was not in its steady state. Precondition it for longer."
        }
        None => {
            "It varies without a direction: look for other programs on the device, its temperature, its \
             firmware and its health."
        }
    };
    Some(format!(
        "{name}: the standard deviation of the rounds is {} of the mean, more than 5 %. {why}",
        percent(spread)
    ))
}

/// The rates of a job that lasted, if each round is long enough for one.
fn rates<'r>(figures: impl Iterator<Item = &'r RoundFigures>) -> Option<Vec<f64>> {
    figures.map(RoundFigures::lasting_rate).collect()
}

/// Standard deviation as a share of the mean.
fn variation(rates: &[f64]) -> Option<f64> {
    let rates = Series { values: rates.to_vec(), ..Series::default() };
    rates.coefficient_of_variation().filter(|_| rates.values.len() >= ROUNDS_FOR_A_TREND)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trend {
    Falls,
    Rises,
    /// So many at the beginning differ, at most the first third, and the others are alike.
    First(usize),
}

/// Which way the rates go, if they go one way.
fn trend(rates: &[f64]) -> Option<Trend> {
    let is_alike = |rest: &[f64]| variation(rest).is_some_and(|share| share <= TOLD_FROM);
    if let Some(first) = (1..=rates.len().div_ceil(3)).find(|first| is_alike(&rates[*first..])) {
        return Some(Trend::First(first));
    }
    one_way(rates)
}

/// Whether each round is below the one before it, or each is above.
fn one_way(rates: &[f64]) -> Option<Trend> {
    let mut steps = rates.windows(2).map(|pair| pair[1] - pair[0]);
    if steps.clone().all(|step| step < 0.0) {
        return Some(Trend::Falls);
    }
    steps.all(|step| step > 0.0).then_some(Trend::Rises)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{history, round};

    fn told(rates: &[f64]) -> Vec<String> {
        let steps = rates.iter().fold(Vec::new(), |steps, rate| history(steps, round("repeat", *rate)));
        doubts(&History::new(&steps))
    }

    #[test]
    fn a_spread_above_five_per_cent_says_what_it_means() {
        for (rates, said) in [
            (&[1_000.0, 900.0, 800.0][..], "falls from round to round"),
            (&[800.0, 900.0, 1_000.0][..], "rises from round to round"),
            (&[1_500.0, 1_400.0, 1_000.0, 1_010.0, 990.0, 1_005.0][..], "Only the first rounds differ"),
            (&[15_441.0, 8_477.0, 8_477.0, 8_477.0][..], "Only the first round differs"),
            (&[1_500.0, 1_000.0, 1_010.0, 990.0, 1_005.0][..], "Only the first round differs"),
            (&[1_000.0, 800.0, 1_050.0, 820.0][..], "without a direction"),
        ] {
            let told = told(rates);
            assert!(told.len() == 1 && told[0].contains(said), "{rates:?}: {told:?}");
        }
    }

    #[test]
    fn a_small_spread_of_five_rounds_is_remarked() {
        let remark = |rates: &[f64]| {
            let steps = rates.iter().fold(Vec::new(), |steps, rate| history(steps, round("repeat", *rate)));
            super::told(&History::new(&steps))
        };
        let said = "the rounds vary by 1.6 % (standard deviation), without a trend";
        assert_eq!(remark(&[1_000.0, 1_020.0, 980.0, 1_010.0, 990.0]).as_deref(), Some(said));
        let rising = remark(&[1_000.0, 1_001.0, 1_002.0, 1_003.0, 1_004.0]).unwrap();
        assert!(rising.ends_with(", and rise"), "{rising}");
        assert_eq!(remark(&[1_000.0, 1_020.0, 980.0]), None);
        assert_eq!(remark(&[1_000.0, 1_500.0, 980.0, 700.0, 990.0]), None);
    }

    #[test]
    fn a_small_spread_and_two_rounds_say_nothing() {
        assert_eq!(told(&[1_000.0, 1_020.0, 980.0]), Vec::<String>::new());
        assert_eq!(told(&[1_000.0, 500.0]), Vec::<String>::new());
    }
}
