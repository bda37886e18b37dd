//! How much a figure varies from round to round, and what that means.
//!
//! Intel's guide asks for three runs of ten minutes, and to look into any spread above 5 %
//! (contract I-27). If only the first rounds differ, the device was not conditioned; if all do, look at its
//! firmware and its health (I-50).

use super::History;
use fathom_results::answer::{Remark, RemarkKind};
use fathom_results::procedure::{RoundDone, RoundFigures};
use fathom_results::{Reason, Trend, TrustLevel, Why};
use fathom_stats::Series;

/// The standard deviation, as a share of the mean, above which the rounds vary too much (I-50).
const SHARE_MAX: f64 = 0.05;

/// From so many rounds on, their order says something.
const ROUNDS_TOLD_FROM: usize = 5;

/// Fewer rounds have neither a spread nor a trend.
const ROUNDS_FOR_A_TREND: usize = 3;

/// The jobs whose rates vary too much, the one that varies most first.
pub(super) fn doubts(history: &History<'_>) -> Vec<Reason> {
    let rounds: Vec<&RoundDone> = history.rounds().collect();
    let jobs = rounds.iter().map(|round| round.figures.len()).min().unwrap_or(0);
    let doubt = |job: usize| {
        let rates = rates(rounds.iter().map(|round| &round.figures[job]))?;
        let share = variation(&rates).filter(|share| *share > SHARE_MAX)?;
        Some((share, rounds.first()?.figures[job].job.clone(), trend(&rates)))
    };
    let mut all: Vec<_> = (0..jobs).filter_map(doubt).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let reason = |(share, job, trend)| Reason::new(Why::RoundsVary { job, share, trend }, TrustLevel::Medium);
    all.into_iter().map(reason).collect()
}

/// How much the rounds vary where that is no doubt. `None` for few rounds, for several jobs, and where [`doubts`] says that they
/// vary too much.
pub(super) fn remark(history: &History<'_>) -> Option<Remark> {
    let rounds: Vec<&RoundDone> = history.rounds().collect();
    if rounds.len() < ROUNDS_TOLD_FROM || rounds.iter().any(|round| round.figures.len() != 1) {
        return None;
    }
    let rates = rates(rounds.iter().map(|round| &round.figures[0]))?;
    let share = variation(&rates).filter(|share| *share <= SHARE_MAX)?;
    Some(Remark { kind: RemarkKind::RoundsVary { share, trend: one_way(&rates) }, rounds: None })
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

/// Which way the rates go, if they go one way.
fn trend(rates: &[f64]) -> Option<Trend> {
    let is_alike = |rest: &[f64]| variation(rest).is_some_and(|share| share <= SHARE_MAX);
    if let Some(first) = (1..=rates.len().div_ceil(3)).find(|first| is_alike(&rates[*first..])) {
        return Some(Trend::First(first as u64));
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
    use fathom_words::trust::sentences;

    fn told(rates: &[f64]) -> Vec<String> {
        let steps = rates.iter().fold(Vec::new(), |steps, rate| history(steps, round("repeat", *rate)));
        sentences(&doubts(&History::new(&steps)))
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
            super::remark(&History::new(&steps)).map(|it| fathom_words::remark(&it))
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
