//! The first screen of a suite: one figure for each group, how far it can be trusted, and what its rules say.

use super::Suite;
use super::against::AgainstAlone;
use super::gathered::{best, measured, row_name, rows};
use super::parts::Parts;
use super::rules::judged;
use crate::History;
use crate::answer_of_rounds::instead;
use crate::reasons::{least, of_answers};
use crate::suite::{CellGroup, Over, SuiteKind};
use fathom_results::answer::{
    Gain, GroupFigure, GroupHeadline, Headline, Measured, MeasuredJobs, SuiteHeadline, SuiteOrigin,
    SuiteRounds,
};
use fathom_results::procedure::RoundDone;
use fathom_results::{
    Answer, Evidence, Finding, NextStep, Prescribed, Reason, RoundsPart, Trust, TrustLevel, Why,
};

/// So many groups are in the result; the tables have all of them.
const GROUPS_MAX: usize = 4;

/// The answer of what was measured so far; `None` before the first measured round.
pub fn answer(suite: &Suite, history: &History<'_>) -> Option<Answer> {
    let rounds = measured_rounds(suite, history);
    let answers: Vec<&Answer> = rounds.iter().filter_map(|round| round.answer.as_deref()).collect();
    let least = least(&answers)?;
    Some(Answer {
        measured: subject(suite, &answers),
        jobs: Some(jobs(suite, history)),
        // That a drive is simulated is the reason for the trust.
        instead: if suite.terms.is_simulated() { None } else { instead(&answers) },
        result: headline(suite, history),
        class: None,
        trust: trust(suite, history, &answers, least),
        limit: None,
        lost: None,
        so_far: None,
        remarks: Vec::new(),
        next: NextStep {
            command: "fathom report latest -o report.html".to_owned(),
            gain: Gain::Page,
            needs_consent: false,
        },
    })
}

/// The rounds of groups that are measured.
fn measured_rounds<'a>(suite: &Suite, history: &History<'a>) -> Vec<&'a RoundDone> {
    history.rounds().filter(|round| suite.is_measured(round)).collect()
}

/// The targets: as a round has them, where it is one.
fn subject(suite: &Suite, answers: &[&Answer]) -> Measured {
    let targets = &suite.terms.targets;
    let has_sets =
        suite.file.each_target || suite.file.groups.iter().any(|group| group.over != Over::Together);
    match answers.first() {
        Some(first) if targets.len() == 1 || !has_sets => first.measured.clone(),
        _ => Measured::Numbered { paths: targets.iter().map(|target| target.path.clone()).collect() },
    }
}

fn jobs(suite: &Suite, history: &History<'_>) -> MeasuredJobs {
    let (of, times) = (suite.steps.steps.len() as u64, history.steps_that_hold() as u64);
    MeasuredJobs::Suite(SuiteRounds {
        suite: suite.name.clone(),
        title: suite.file.title.clone(),
        source: suite.file.source.clone(),
        kind: match suite.file.kind {
            SuiteKind::Own => SuiteOrigin::Own,
            SuiteKind::Guide => SuiteOrigin::Guide,
            SuiteKind::Shape => SuiteOrigin::Shape,
        },
        rounds: history.rounds().count() as u64,
        steps: (times < of).then_some(RoundsPart { times, of }),
    })
}

/// One figure of each group, behind what the rules say.
pub fn headline(suite: &Suite, history: &History<'_>) -> Headline {
    let judged = judged(suite, history);
    let of = judged.len() as u64;
    let times = judged.iter().filter(|one| one.result.passes == Some(true)).count() as u64;
    let broken = judged.into_iter().map(|one| one.result).filter(|result| result.passes == Some(false));
    let mut groups: Vec<GroupHeadline> =
        measured(suite).filter_map(|(place, group)| figure(suite, place, group, history)).collect();
    let more = groups.len().saturating_sub(GROUPS_MAX) as u64;
    groups.truncate(GROUPS_MAX);
    Headline::Suite(SuiteHeadline {
        broken: broken.collect(),
        kept: (times > 0).then_some(RoundsPart { times, of }),
        groups,
        more,
        rounds_failed: history.rounds().filter(|round| round.failed().is_some()).count() as u64,
    })
}

fn figure(suite: &Suite, place: usize, group: &CellGroup, history: &History<'_>) -> Option<GroupHeadline> {
    let rows = rows(suite, place, history);
    if let Some(of_parts) = Parts::of(group, &rows).and_then(|parts| parts.headline(&rows)) {
        return Some(of_parts);
    }
    let (row, mean) = best(group, &rows)?;
    let which = row_name(row, group);
    let (shown, cell) = (group.values[0], (!which.is_empty() && rows.len() > 1).then_some(which));
    let times = AgainstAlone::of(suite, group, history).and_then(|against| against.times(row));
    Some(GroupHeadline {
        group: group.what.clone(),
        metric: shown.id().to_owned(),
        value: shown.in_base_unit(mean.value),
        half_share: mean.half,
        of: GroupFigure::Best { cell, times },
    })
}

/// The least trust of a round that is measured; less where the suite did not run as it is written.
fn trust(suite: &Suite, history: &History<'_>, answers: &[&Answer], least: &Answer) -> Trust {
    let first = match () {
        () if suite.terms.is_simulated() => Some(simulated(answers)),
        () if suite.terms.divisor() > 1 => Some(Why::TimesCut { of: Prescribed::Suite }),
        () => None,
    };
    let level = if first.is_some() { TrustLevel::Low } else { least.trust.level };
    let first = first.map(|why| Reason::new(why, TrustLevel::Low));
    let mut reasons: Vec<Reason> = first.into_iter().chain(of_answers(answers)).collect();
    let at = reasons.len().min(1);
    reasons.splice(at..at, suite.deviations().into_iter().map(Reason::deviation));
    // What was found in a round that only prepares is listed, and lowers no trust in the result.
    let code = |reason: &Reason| reason.finding().map(|it| it.code().to_owned());
    let known: Vec<Option<String>> = reasons.iter().map(code).collect();
    let others = history.doubts().into_iter().filter(|doubt| !known.contains(&code(doubt)));
    reasons.extend(others.map(|doubt| Reason { level: None, ..doubt }));
    Trust { level, reasons, shortest_s: least.trust.shortest_s.filter(|_| level == TrustLevel::High) }
}

/// That the drive is simulated, and in how many rounds it had nothing to read: no flash is read for that (V-49).
fn simulated(answers: &[&Answer]) -> Why {
    let has_unwritten = |finding: &Finding| matches!(finding.evidence, Evidence::Simulated { unwritten_bytes, .. } if unwritten_bytes > 0);
    let of_round =
        |answer: &&&Answer| answer.trust.reasons.iter().filter_map(Reason::finding).any(has_unwritten);
    let unwritten_rounds = answers.iter().filter(of_round).count() as u64;
    Why::SimulatedDrive { unwritten_rounds, of_rounds: answers.len() as u64 }
}
