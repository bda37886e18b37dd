//! What a search found, in words.

use super::{Search, SearchFound, SearchGoal, ValueFigures};
use crate::History;
use crate::reasons::least;
use crate::suite::KNEE_SHARE;
use fathom_results::{Answer, NextStep};
use fathom_text::quantity::{bandwidth, iops, latency, percent};
use fathom_text::words::counted;

/// The answer of a search that has ended.
pub fn answer(search: &Search, history: &History<'_>) -> Option<Answer> {
    search.found(history)?;
    let answers: Option<Vec<&Answer>> = history.rounds().map(|round| round.answer.as_deref()).collect();
    let answers = answers?;
    let least = least(&answers)?;
    let name = &search.axis.name;
    let jobs = answers.first()?.jobs.clone().unwrap_or_default();
    let cells = counted(measured_cells(search, history) as u64, "value");
    let instead = answers.iter().find_map(|answer| answer.instead.clone());
    // That a drive is simulated is a reason for less trust, and takes no result's place.
    let is_simulated = history.rounds().any(|round| round.findings().any(|it| it.code() == "simulated"));
    Some(Answer {
        measured: least.measured.clone(),
        jobs: Some(format!("{cells} of {} of {name} measured; the first: {jobs}", search.axis.values.len())),
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
        why: "shows every value that was measured".to_owned(),
    }
}

/// The result in a sentence.
pub fn headline(search: &Search, history: &History<'_>) -> String {
    let measured = search.measured(history);
    let name = &search.axis.name;
    let at = |place: usize| {
        let value = &search.axis.values[place];
        let figures = measured[place].map(|one| told(search, &one)).unwrap_or_default();
        format!("{name}={value}: {figures}")
    };
    let last = measured.len() - 1;
    match (search.found(history), search.goal) {
        (Some(SearchFound::At(place)), SearchGoal::Knee) => {
            let most = measured.iter().enumerate().filter_map(|(at, one)| Some((at, (*one)?)));
            let most = most.max_by(|a, b| a.1.iops.total_cmp(&b.1.iops));
            let most =
                most.map(|(place, one)| format!("{} at {name}={}", rate(&one), search.axis.values[place]));
            let most = most.unwrap_or_default();
            let (beyond, sure) = (beyond(search, &measured), certainty(search, &measured, place));
            format!("The knee is at {}; the most rate is {most}, and {beyond}. {sure}", at(place))
        }
        (Some(SearchFound::At(place)), SearchGoal::MostUnder { .. }) => {
            let above = measured.get(place + 1).copied().flatten();
            let above = above
                .map(|one| format!("; the next value has {}", latency(one.limited_ns)))
                .unwrap_or_default();
            format!("Within {}: {}{above}.", limit(search.goal), at(place))
        }
        (Some(SearchFound::NoneIsWithin), _) => {
            format!("No value is within {}: {}.", limit(search.goal), at(0))
        }
        (Some(SearchFound::AllAreWithin), _) => {
            format!(
                "All values are within {}, so a higher one may be, too; the highest, {}.",
                limit(search.goal),
                at(last)
            )
        }
        (Some(SearchFound::StillRises), _) => {
            format!(
                "There is no knee up to the highest value: the rate still rises there, {}. Give larger values.",
                at(last)
            )
        }
        (None, _) => "The search is not finished.".to_owned(),
    }
}

/// What more demand did, by the values that were measured.
fn beyond(search: &Search, measured: &[Option<ValueFigures>]) -> String {
    let known: Vec<(usize, f64)> =
        measured.iter().enumerate().filter_map(|(at, one)| Some((at, (*one)?.iops))).collect();
    let Some((top, most)) = known.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return String::new();
    };
    let of = |place: usize| format!("{}={}", search.axis.name, search.axis.values[place]);
    let lower = known.windows(2).find(|two| two[1].0 > top && two[1].1 < KNEE_SHARE * most);
    let Some([(before, _), (place, rate)]) = lower else { return "more only adds latency".to_owned() };
    let less = format!("{} has {} less", of(*place), percent(1.0 - rate / most));
    match place - before {
        1 => less,
        _ => format!("{less} (between {} and it nothing was measured)", of(*before)),
    }
}

/// Which other values may be the knee, by how much the rounds of a value vary.
fn certainty(search: &Search, measured: &[Option<ValueFigures>], place: usize) -> String {
    let Some((from, to)) = possible_knees(measured) else {
        return format!(
            "Each value was measured {}, so how far noise may have moved the knee is not known: --repeat 3 tells.",
            if search.repeat == 1 { "once".to_owned() } else { counted(u64::from(search.repeat), "time") }
        );
    };
    let value = |place: usize| &search.axis.values[place];
    match from == place && to == Some(place) {
        true => "The rounds of each value vary by less than would move it.".to_owned(),
        false => format!(
            "By the spread of the rounds it may be anywhere from {} to {}.",
            value(from),
            to.map_or_else(|| "above the highest value".to_owned(), |to| value(to).clone())
        ),
    }
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

fn limit(goal: SearchGoal) -> String {
    match goal {
        SearchGoal::Knee => "the knee".to_owned(),
        SearchGoal::MostUnder { figure, limit_ns } => {
            format!("{} ≤ {}", figure.name(), latency(limit_ns as f64))
        }
    }
}

fn rate(one: &ValueFigures) -> String {
    format!("{} IOPS", iops(one.iops))
}

fn told(search: &Search, one: &ValueFigures) -> String {
    let limited = match search.goal {
        SearchGoal::Knee => String::new(),
        SearchGoal::MostUnder { figure, .. } => format!(", {} {}", figure.name(), latency(one.limited_ns)),
    };
    let (kind, since) =
        if one.is_response { ("response", " from the planned start") } else { ("latency", "") };
    let fell = match one.fallen {
        0 => String::new(),
        1 => ", means of two rates, because it fell meanwhile".to_owned(),
        jobs => format!(", means of two rates, because {jobs} of them fell meanwhile"),
    };
    format!(
        "{}, {}, mean {kind} {}{limited}{since}{fell}",
        rate(one),
        bandwidth(one.bytes_per_second),
        latency(one.mean_ns)
    )
}

/// Each value that was measured, a sentence each, in order of demand.
pub fn lines(search: &Search, measured: &[Option<ValueFigures>]) -> Vec<String> {
    let line = |(value, one): (&String, &Option<ValueFigures>)| {
        let one = (*one)?;
        Some(format!(
            "{}={value}: {} ({})",
            search.axis.name,
            told(search, &one),
            counted(one.n as u64, "round")
        ))
    };
    search.axis.values.iter().zip(measured).filter_map(line).collect()
}
