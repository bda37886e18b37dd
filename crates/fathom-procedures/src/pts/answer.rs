//! The first screen of the tests: what was tested by which standard, what came out, how far that can be trusted.

use super::Pts;
use super::TestPhase;
use super::header::{deviations, starts};
use super::verdict::verdict;
use crate::History;
use fathom_results::answer::{
    AttachedKind, Gain, Measured, MeasuredDevice, MeasuredJobs, MeasuredKind, MeasuredTarget, StandardDemand,
    StandardPurge, StandardRounds,
};
use fathom_results::{Answer, NextStep, Prescribed, Reason, Trust, TrustLevel, Why};

/// What the tests say so far.
pub fn answer(pts: &Pts, history: &History<'_>) -> Answer {
    let terms = &pts.terms;
    let filled = history.rounds().filter(|round| round.cell.ends_with("-fill")).count() as u64;
    let tested = history.rounds().count() as u64 - filled;
    let purged = match pts.has(|phase| matches!(phase, TestPhase::Purge)) {
        true if terms.purges => StandardPurge::BeforeEach,
        true => StandardPurge::Not,
        false => StandardPurge::NotAsked,
    };
    let demand = pts.tests_of_demand();
    let has_all = demand.len() == pts.tests.len();
    let jobs = StandardRounds {
        standard: terms.edition.standard().to_owned(),
        tests: pts.tests.iter().map(|test| test.name.to_owned()).collect(),
        demand: (!demand.is_empty()).then(|| StandardDemand {
            workers: u64::from(terms.demand.threads),
            depth: u64::from(terms.demand.depth),
            tests: if has_all { Vec::new() } else { demand.iter().map(|test| (*test).to_owned()).collect() },
        }),
        active_percent: u64::from(terms.active_percent),
        purged,
        fill_rounds: filled,
        test_rounds: tested,
    };
    Answer {
        measured: Measured::Targets {
            targets: vec![MeasuredTarget { kind: kind(pts), jobs: None }],
            more: 0,
        },
        jobs: Some(MeasuredJobs::Standard(jobs)),
        instead: None,
        result: verdict(pts, history).headline,
        class: None,
        trust: trust(pts, history),
        limit: None,
        lost: None,
        so_far: None,
        remarks: Vec::new(),
        next: NextStep {
            command: "fathom report latest -o report.html".to_owned(),
            gain: Gain::StandardReport,
            needs_consent: false,
        },
    }
}

fn kind(pts: &Pts) -> MeasuredKind {
    let (path, bytes) = (pts.terms.target.clone(), Some(pts.terms.capacity.0));
    match pts.terms.is_simulated {
        true => MeasuredKind::Simulated { path, bytes },
        false => MeasuredKind::Device {
            device: MeasuredDevice { path, model: None, bytes, kind: Some(AttachedKind::Device) },
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
    let deviations = deviations(pts, history, starts(history)).into_iter().map(Reason::deviation);
    Trust { level, reasons: first.into_iter().chain(deviations).collect(), shortest_s: None }
}
