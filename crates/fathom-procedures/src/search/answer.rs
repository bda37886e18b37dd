//! What a search came to.

use super::{Search, SearchFound, SearchGoal, ValueFigures};
use crate::History;
use crate::reasons::least;
use crate::suite::{KNEE_SHARE, adds_latency};
use fathom_results::answer::{
    Gain, Headline, LowerBeyond, MeasuredJobs, PossibleKnees, SearchHeadline, SearchLimit, SearchResult,
    SearchedValue,
};
use fathom_results::{Answer, NextStep};

/// The answer of a search that has ended.
pub fn answer(search: &Search, history: &History<'_>) -> Option<Answer> {
    search.found(history)?;
    let answers: Option<Vec<&Answer>> = history.rounds().map(|round| round.answer.as_deref()).collect();
    let answers = answers?;
    let least = least(&answers)?;
    let instead = answers.iter().find_map(|answer| answer.instead.clone());
    // That a drive is simulated is a reason for less trust, and takes no result's place.
    let is_simulated = history.rounds().any(|round| round.findings().any(|it| it.code() == "simulated"));
    Some(Answer {
        measured: least.measured.clone(),
        jobs: Some(MeasuredJobs::Values {
            measured: measured_cells(search, history) as u64,
            of: search.axis.values.len() as u64,
            option: search.axis.name.clone(),
            first: answers.first()?.jobs.clone().map(Box::new),
        }),
        instead: instead.filter(|_| !is_simulated),
        result: headline(search, history),
        trust: least.trust.clone(),
        next: next(),
        ..Answer::clone(least)
    })
}

fn measured_cells(search: &Search, history: &History<'_>) -> usize {
    search.measured(history).iter().flatten().count()
}

fn next() -> NextStep {
    NextStep {
        command: "fathom report --details latest".to_owned(),
        gain: Gain::EveryValue,
        needs_consent: false,
    }
}

/// What it came to.
pub fn headline(search: &Search, history: &History<'_>) -> Headline {
    headline_of(search, &search.measured(history), search.found(history))
}

/// The same of what was measured of each value, and of what was found.
pub(super) fn headline_of(
    search: &Search,
    measured: &[Option<ValueFigures>],
    found: Option<SearchFound>,
) -> Headline {
    let limit = match search.goal {
        SearchGoal::Knee => None,
        SearchGoal::MostUnder { figure, limit_ns } => {
            Some(SearchLimit { figure: figure.name().to_owned(), limit_ns })
        }
    };
    let values = search.axis.values.iter().zip(measured);
    Headline::Search(SearchHeadline {
        option: search.axis.name.clone(),
        repeat: u64::from(search.repeat),
        found: found.map(|found| result(search, measured, found)),
        values: values
            .filter_map(|(value, one)| Some(searched(value, one.as_ref()?, limit.is_some())))
            .collect(),
        limit,
    })
}

fn searched(value: &str, one: &ValueFigures, has_limit: bool) -> SearchedValue {
    SearchedValue {
        value: value.to_owned(),
        iops: one.iops,
        bytes_per_second: one.bytes_per_second,
        mean_ns: one.mean_ns,
        limited_ns: has_limit.then_some(one.limited_ns),
        is_response: one.is_response,
        rounds: one.n as u64,
        fallen: one.fallen as u64,
    }
}

fn result(search: &Search, measured: &[Option<ValueFigures>], found: SearchFound) -> SearchResult {
    let value = |place: usize| search.axis.values[place].clone();
    match (found, search.goal) {
        (SearchFound::At(place), SearchGoal::Knee) => SearchResult::Knee {
            value: value(place),
            lower_beyond: lower_beyond(search, measured),
            adds_latency: latency_rises(measured, place),
            possible: possible_knees(measured)
                .map(|(from, to)| PossibleKnees { from: value(from), to: to.map(value) }),
        },
        (SearchFound::At(place), SearchGoal::MostUnder { .. }) => {
            let next = measured.get(place + 1).is_some_and(Option::is_some);
            SearchResult::Within { value: value(place), next: next.then(|| value(place + 1)) }
        }
        (SearchFound::NoneIsWithin, _) => SearchResult::NoneIsWithin,
        (SearchFound::AllAreWithin, _) => SearchResult::AllAreWithin,
        (SearchFound::StillRises, _) => SearchResult::StillRises,
        (SearchFound::DepthNotReached(place), _) => {
            let reachable = measured[place].and_then(|one| one.reachable).unwrap_or_default();
            SearchResult::DepthNotReached { value: value(place), reachable: u64::from(reachable) }
        }
    }
}

/// Is the mean latency of the highest value clearly longer than that of the value at this place?
fn latency_rises(measured: &[Option<ValueFigures>], place: usize) -> bool {
    let of = |one: &ValueFigures| (one.mean_ns, one.latency_interval.filter(|_| !one.is_response));
    let ends = measured[place].as_ref().zip(measured.last().and_then(Option::as_ref));
    ends.is_some_and(|(knee, last)| adds_latency(of(knee), of(last)))
}

/// The first value beyond the most rate at which the rate is clearly lower, by the values that were measured.
fn lower_beyond(search: &Search, measured: &[Option<ValueFigures>]) -> Option<LowerBeyond> {
    let known: Vec<(usize, f64)> =
        measured.iter().enumerate().filter_map(|(at, one)| Some((at, (*one)?.iops))).collect();
    let (top, most) = known.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let lower = known.windows(2).find(|two| two[1].0 > top && two[1].1 < KNEE_SHARE * most)?;
    let (before, place) = (lower[0].0, lower[1].0);
    let value = |place: usize| search.axis.values[place].clone();
    Some(LowerBeyond { value: value(place), after_gap: (place - before > 1).then(|| value(before)) })
}

/// The first value that may reach the share of the most rate, and the first that surely does; `None` where the spread of a value is
/// not known.
fn possible_knees(measured: &[Option<ValueFigures>]) -> Option<(usize, Option<usize>)> {
    let known: Option<Vec<(usize, (f64, f64))>> = measured
        .iter()
        .enumerate()
        .filter_map(|(place, one)| Some((place, one.as_ref()?)))
        .map(|(place, one)| Some((place, one.interval?)))
        .collect();
    let known = known?;
    let (low, high) =
        known.iter().fold((0.0_f64, 0.0_f64), |(low, high), (_, of)| (low.max(of.0), high.max(of.1)));
    let first = known.iter().find(|(_, of)| of.1 >= KNEE_SHARE * low)?.0;
    Some((first, known.iter().find(|(_, of)| of.0 >= KNEE_SHARE * high).map(|(place, _)| *place)))
}
