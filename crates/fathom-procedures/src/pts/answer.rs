//! The first screen of the tests: what was tested by which standard, what came out, how far that can be trusted.

use super::Pts;
use super::TestPhase;
use super::header::{deviations, starts};
use super::verdict::verdict;
use crate::History;
use fathom_results::{Answer, NextStep, Trust, TrustLevel};
use fathom_text::number::bytes;
use fathom_text::words::counted;

/// What the tests say so far.
pub fn answer(pts: &Pts, history: &History<'_>) -> Answer {
    let terms = &pts.terms;
    let kind = if terms.is_simulated { "simulated drive" } else { "device" };
    let filled = history.rounds().filter(|round| round.cell.ends_with("-fill")).count() as u64;
    let tested = history.rounds().count() as u64 - filled;
    let titles: Vec<&str> = pts.tests.iter().map(|test| test.name).collect();
    let counts = [(filled, "fill round"), (tested, "test round")];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, of)| counted(count, of)).collect();
    let purged = match pts.has(|phase| matches!(phase, TestPhase::Purge)) {
        true if terms.purges => "purged before each test",
        true => "NOT purged",
        false => "neither purged nor filled",
    };
    let demand = match pts.tests_of_demand() {
        none if none.is_empty() => String::new(),
        all if all.len() == pts.tests.len() => format!("{}, ", terms.demand.told()),
        some => format!("{} in {}, ", terms.demand.told(), some.join(", ")),
    };
    Answer {
        measured: format!("{kind}, {} ({})", bytes(terms.capacity.0 as f64), terms.target),
        jobs: Some(format!(
            "{}: {}; {demand}{} % of the device; {purged}; {}",
            terms.edition.standard(),
            titles.join(", "),
            terms.active_percent,
            counts.join(" and "),
        )),
        instead: None,
        result: verdict(pts, history).headline,
        class: None,
        trust: trust(pts, history),
        reasons: deviations(pts, history, starts(history)),
        limit: None,
        limit_evidence: Vec::new(),
        remarks: Vec::new(),
        next: NextStep {
            command: "fathom report latest -o report.html".to_owned(),
            why: "makes the report of the standard".to_owned(),
        },
    }
}

/// A result that is not the standard's is not to be trusted as one.
fn trust(pts: &Pts, history: &History<'_>) -> Trust {
    let terms = &pts.terms;
    let low = |reason: &str| Trust { level: TrustLevel::Low, reason: reason.to_owned() };
    match () {
        () if terms.is_simulated => low("the drive is simulated"),
        () if terms.time_divisor > 1 => low("times were cut, so this is not the standard's result"),
        () if !terms.purges => low("the device was not purged, so this is not the standard's result"),
        () => {
            let reason =
                history.doubts_among(|code| !["few-samples", "rate-fell", "unstable"].contains(&code));
            match reason.into_iter().next() {
                Some(reason) => Trust { level: TrustLevel::Medium, reason },
                None => Trust {
                    level: TrustLevel::High,
                    reason: "no rule found a reason for doubt in any round".to_owned(),
                },
            }
        }
    }
}
