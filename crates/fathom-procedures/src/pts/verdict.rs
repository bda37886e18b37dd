//! What the tests came to, in sentences.

use super::sequence;
use super::taken::{MeasurementWindow, Taken};
use super::terms::PtsTerms;
use super::until::{TrackedQuantity, Until};
use super::{Pts, PtsTest};
use crate::History;
use crate::pts::header::{deviations, starts};
use fathom_results::{Reason, Verdict};
use fathom_text::quantity;
use fathom_text::words::counted;

/// What one test came to.
pub struct TestOutcome {
    /// One sentence.
    pub headline: String,
    /// The standard's verdict; `None` of a test without one, and before it is known.
    pub is_steady: Option<bool>,
    /// Why it stopped before its end, one sentence.
    pub stopped: Option<String>,
    /// Parameters for its header.
    pub parameters: Vec<(String, String)>,
}

/// What each test came to.
fn outcomes(pts: &Pts, history: &History<'_>) -> Vec<(&'static PtsTest, TestOutcome)> {
    let each = sequence::of_each(pts, history).into_iter();
    each.map(|(test, taken)| (test, of_test(test, &pts.terms, &taken))).collect()
}

/// Has a test ended without the steady state that the standard asks for?
pub fn has_no_steady_state(pts: &Pts, history: &History<'_>) -> bool {
    outcomes(pts, history).iter().any(|(_, outcome)| outcome.is_steady == Some(false))
}

/// The verdict over all tests.
pub fn verdict(pts: &Pts, history: &History<'_>) -> Verdict {
    let outcomes = outcomes(pts, history);
    let line =
        |(test, outcome): &(&'static PtsTest, TestOutcome)| format!("{}: {}", test.title, outcome.headline);
    let headline = match outcomes.as_slice() {
        [one] => line(one),
        many => summary(many),
    };
    let limits = if outcomes.len() > 1 { outcomes.iter().map(line).collect() } else { Vec::new() };
    Verdict {
        headline,
        limits,
        distrust: deviations(pts, history, starts(history)).into_iter().map(Reason::stated).collect(),
    }
}

fn summary(outcomes: &[(&'static PtsTest, TestOutcome)]) -> String {
    let count =
        |is_steady: bool| outcomes.iter().filter(|(_, it)| it.is_steady == Some(is_steady)).count() as u64;
    let (steady, not) = (count(true), count(false));
    if steady + not == 0 {
        return format!("{} without a verdict on steady state.", counted(outcomes.len() as u64, "test"));
    }
    let all = outcomes.len() as u64;
    let parts = [(not, "without it"), (all - steady - not, "without a verdict on it")];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: String = parts.map(|(count, what)| format!(", {count} {what}")).collect();
    format!("{}: {steady} with steady state{parts}.", counted(all, "test"))
}

/// What one test came to.
pub fn of_test(test: &PtsTest, terms: &PtsTerms, taken: &Taken<'_>) -> TestOutcome {
    if let Some(why) = test.cannot(terms) {
        return TestOutcome {
            headline: format!("not run: {why}."),
            is_steady: None,
            stopped: None,
            parameters: Vec::new(),
        };
    }
    let loops = test.loops(terms);
    let told: Vec<(String, Option<bool>)> = loops.iter().map(|rounds| of_loop(taken, rounds)).collect();
    let is_steady = match told.iter().map(|(_, is_steady)| *is_steady).collect::<Option<Vec<bool>>>() {
        Some(all) if !all.is_empty() => Some(all.iter().all(|is_steady| *is_steady)),
        _ => None,
    };
    let tracked = loops.iter().filter(|rounds| !rounds.tracked.is_empty());
    let ended = tracked.map(|rounds| (rounds.cell.clone(), window_told(taken, rounds)));
    let parameters = ended.map(|(cell, told)| (format!("Steady state, {cell}"), told)).collect();
    let rounds = taken.steps.iter().filter(|step| step.round().is_some()).count();
    let headline = match told.as_slice() {
        [] => format!("{} measured; the standard asks for no steady state.", counted(rounds as u64, "round")),
        told => told.iter().map(|(said, _)| said.as_str()).collect::<Vec<_>>().join("; ") + ".",
    };
    let stopped = taken.failed().map(|(round, number, why)| {
        let at = fathom_text::words::counted(number as u64 - 1, "whole round");
        format!("STOPPED in round {number} of {}, after {at}: {why}.", round.cell)
    });
    let headline = match &stopped {
        Some(stopped) => format!("{stopped} Until then: {headline}"),
        None => headline,
    };
    TestOutcome { headline, is_steady, stopped, parameters }
}

fn window_told(taken: &Taken<'_>, rounds: &Until) -> String {
    match taken.steady_window(rounds) {
        Some(window) => format!("rounds {}–{}", window.first(), window.last),
        None => format!("not in {}", counted(taken.rounds(&rounds.cell).len() as u64, "round")),
    }
}

/// One part of the headline.
fn of_loop(taken: &Taken<'_>, rounds: &Until) -> (String, Option<bool>) {
    let done = taken.rounds(&rounds.cell).len() as u64;
    if done == 0 {
        return (format!("{} not begun", rounds.cell), None);
    }
    if rounds.tracked.is_empty() {
        let written = fathom_text::number::bytes(taken.bytes(&rounds.cell));
        return (
            format!("{written} written in {}, and no steady state is asked for", counted(done, "round")),
            None,
        );
    }
    match taken.steady_window(rounds) {
        Some(window) => {
            (format!("steady state after round {}{}", window.last, means(rounds, &window)), Some(true))
        }
        None if taken.has_ended(rounds) => {
            let window = taken.reported_window(rounds);
            let means = window.map_or_else(String::new, |window| means(rounds, &window));
            let why = ended(taken, rounds);
            (format!("NO steady state in {}{why}{means}", counted(done, "round")), Some(false))
        }
        None => (format!("no steady state yet after {}", counted(done, "round")), None),
    }
}

/// Why a loop without steady state is over.
fn ended(taken: &Taken<'_>, rounds: &Until) -> String {
    let written = taken.bytes(&rounds.cell);
    match rounds.written_max.filter(|most| written >= *most as f64) {
        Some(most) => {
            let [written, most] = [written, most as f64].map(fathom_text::number::bytes);
            format!(", which wrote {written}: the test ends after {most}")
        }
        None => ", the most that the test has".to_owned(),
    }
}

/// `: RND 4 KiB, 0/100: 145k IOPS`, for each tracking variable.
fn means(rounds: &Until, window: &MeasurementWindow) -> String {
    let of = |(variable, gate): (&super::until::Tracked, &fathom_judge::steady::PtsGate)| {
        let value = match variable.quantity {
            TrackedQuantity::Iops => format!("{} IOPS", quantity::iops(gate.mean)),
            TrackedQuantity::Bandwidth => quantity::bandwidth(gate.mean * 1e6),
            TrackedQuantity::LatencyMean => quantity::latency(gate.mean * 1e6),
        };
        format!("{value} at {}", variable.name)
    };
    let told: Vec<String> = rounds.tracked.iter().zip(&window.gates).map(of).collect();
    format!(" ({})", told.join("; "))
}
