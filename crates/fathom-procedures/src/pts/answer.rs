//! The first screen of the tests: what was tested by which standard, what came out, how far that can be trusted.

use super::Pts;
use super::TestPhase;
use super::header::{deviations, starts};
use super::verdict::verdict;
use crate::History;
use fathom_results::{Answer, NextStep, Prescribed, Reason, Trust, TrustLevel, Why};
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
        limit: None,
        lost: None,
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
    let why = match () {
        () if terms.is_simulated => Some(Why::SimulatedDrive { unwritten_rounds: 0, of_rounds: 0 }),
        () if terms.time_divisor > 1 => Some(Why::TimesCut { of: Prescribed::Standard }),
        () if !terms.purges => Some(Why::NotPurged),
        () => None,
    };
    let first = match why {
        Some(why) => Some(Reason::new(why, TrustLevel::Low)),
        None => history
            .doubts_among(|code| !["few-samples", "rate-fell", "unstable"].contains(&code))
            .into_iter()
            .next()
            .map(|doubt| Reason { level: Some(TrustLevel::Medium), ..doubt }),
    };
    let level = first.as_ref().and_then(|reason| reason.level).unwrap_or(TrustLevel::High);
    let deviations = deviations(pts, history, starts(history)).into_iter().map(Reason::stated);
    Trust { level, reasons: first.into_iter().chain(deviations).collect(), shortest_s: None }
}
