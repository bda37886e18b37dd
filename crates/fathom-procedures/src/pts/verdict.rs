//! What the tests came to.

use super::sequence;
use super::taken::{MeasurementWindow, Taken};
use super::terms::PtsTerms;
use super::until::Until;
use super::{Pts, PtsTest};
use crate::History;
use crate::pts::header::{deviations, starts};
use fathom_results::answer::{
    Headline, JudgedFigure, LoopState, StandardHeadline, StandardLoop, StandardTest, StoppedTest, TrackedMean,
};
use fathom_results::{Reason, Verdict};
use fathom_text::words::counted;

/// What each test came to.
fn outcomes(pts: &Pts, history: &History<'_>) -> Vec<StandardTest> {
    let each = sequence::of_each(pts, history).into_iter();
    each.map(|(test, taken)| of_test(test, &pts.terms, &taken)).collect()
}

/// Has a test ended without the steady state that the standard asks for?
pub fn has_no_steady_state(pts: &Pts, history: &History<'_>) -> bool {
    outcomes(pts, history).iter().any(|test| test.is_steady() == Some(false))
}

/// The verdict over all tests.
pub fn verdict(pts: &Pts, history: &History<'_>) -> Verdict {
    let deviations = deviations(pts, history, starts(history)).into_iter();
    Verdict {
        headline: Headline::Standard(StandardHeadline { tests: outcomes(pts, history) }),
        distrust: deviations.map(Reason::deviation).collect(),
    }
}

/// What one test came to.
pub fn of_test(test: &PtsTest, terms: &PtsTerms, taken: &Taken<'_>) -> StandardTest {
    let not_run = test.cannot(terms);
    let loops = if not_run.is_some() { Vec::new() } else { test.loops(terms) };
    StandardTest {
        test: test.title.to_owned(),
        rounds: taken.steps.iter().filter(|step| step.round().is_some()).count() as u64,
        loops: loops.iter().map(|rounds| of_loop(taken, rounds)).collect(),
        stopped: taken.failed().map(|(round, number, why)| StoppedTest {
            cell: round.cell.clone(),
            round: number as u64,
            why,
        }),
        not_run,
    }
}

/// The windows of its loops, as parameters for its header.
pub fn windows(test: &PtsTest, terms: &PtsTerms, taken: &Taken<'_>) -> Vec<(String, String)> {
    let loops = if test.cannot(terms).is_some() { Vec::new() } else { test.loops(terms) };
    let tracked = loops.iter().filter(|rounds| !rounds.tracked.is_empty());
    tracked.map(|rounds| (format!("Steady state, {}", rounds.cell), window_of(taken, rounds))).collect()
}

fn window_of(taken: &Taken<'_>, rounds: &Until) -> String {
    match taken.steady_window(rounds) {
        Some(window) => format!("rounds {}–{}", window.first(), window.last),
        None => format!("not in {}", counted(taken.rounds(&rounds.cell).len() as u64, "round")),
    }
}

fn of_loop(taken: &Taken<'_>, rounds: &Until) -> StandardLoop {
    let done = taken.rounds(&rounds.cell).len() as u64;
    let steady = taken.steady_window(rounds);
    let state = match &steady {
        _ if done == 0 => LoopState::NotBegun,
        _ if rounds.tracked.is_empty() => LoopState::Untracked { written_bytes: taken.bytes(&rounds.cell) },
        Some(window) => LoopState::Steady { after_round: window.last as u64 },
        None if taken.has_ended(rounds) => LoopState::NotSteady { written_bytes: written(taken, rounds) },
        None => LoopState::NotYet,
    };
    let window = match state {
        LoopState::Steady { .. } => steady,
        LoopState::NotSteady { .. } => taken.reported_window(rounds),
        _ => None,
    };
    let means = window.map(|window| means(rounds, &window)).unwrap_or_default();
    StandardLoop { cell: rounds.cell.clone(), rounds: done, state, means }
}

/// What a loop without steady state wrote, where it ended by that, and at how many bytes it ends.
fn written(taken: &Taken<'_>, rounds: &Until) -> Option<(f64, f64)> {
    let written = taken.bytes(&rounds.cell);
    rounds.written_max.map(|most| (written, most as f64)).filter(|(written, most)| written >= most)
}

/// The mean of each tracking variable.
fn means(rounds: &Until, window: &MeasurementWindow) -> Vec<TrackedMean> {
    let of = |(variable, gate): (&super::until::Tracked, &fathom_judge::steady::PtsGate)| {
        // The gates have MB/s and ms.
        let unit = match variable.quantity {
            JudgedFigure::Iops => 1.0,
            JudgedFigure::Bandwidth | JudgedFigure::Latency => 1e6,
        };
        TrackedMean { variable: variable.name.clone(), quantity: variable.quantity, mean: gate.mean * unit }
    };
    rounds.tracked.iter().zip(&window.gates).map(of).collect()
}
