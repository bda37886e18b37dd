//! Other causes than what was changed: what the rules found in the runs of one side and not of the other, and which side
//! that favours.

use super::cell::{SharedCell, Sides, UNEVEN, shared_cells};
use super::cell_runs::TaintedRuns;
use super::subject::Subject;
use crate::taint::{RATE_FELL, RULES, UNKNOWN_CONTENT, UNWRITTEN_RANGE};
use fathom_results::{CauseEffect, CauseFound, OtherCause, RunsWithFinding};

/// Rules whose finding makes figures better than the disk's own.
const FLATTER: [&str; 6] =
    [UNWRITTEN_RANGE, UNKNOWN_CONTENT, "page-cache", "memory-backed", "no-target", "too-fast"];

/// Rules whose finding makes figures worse than without it.
const HINDER: [&str; 12] = [
    "foreign-io",
    "cpu-quota",
    "generator-limited",
    "data-limited",
    "log-limited",
    "host-disturbed",
    "clock-low",
    "too-hot",
    "steal",
    "stopped",
    RATE_FELL,
    "woken-late",
];

/// The rules by which blocks that are read were never written.
const OF_UNWRITTEN: [&str; 2] = [UNWRITTEN_RANGE, UNKNOWN_CONTENT];

/// What disturbed some of the subjects and not the others, the most serious first; those of which it is not known which
/// side they favour are last.
pub(super) fn causes(subjects: &[Subject]) -> Vec<OtherCause> {
    let uneven = RULES.iter().flat_map(|rule| uneven(rule.code, subjects));
    let mut found: Vec<OtherCause> = ran_first(subjects).into_iter().chain(uneven).collect();
    found.sort_by_key(|cause| cause.favours.is_empty());
    found
}

/// Were blocks read, in most runs of some cell, that were perhaps never written?
pub(super) fn reads_unwritten(subjects: &[Subject]) -> bool {
    let mut cells = subjects.iter().flat_map(|subject| &subject.cells);
    cells.any(|cell| OF_UNWRITTEN.iter().any(|code| cell.share(code) >= UNEVEN))
}

/// What the rule found on one side only; the cells in which that is the same side are one cause.
fn uneven(code: &str, subjects: &[Subject]) -> Vec<OtherCause> {
    let all = shared_cells(subjects);
    let mut sides: Vec<(Sides, Vec<&SharedCell<'_>>)> = Vec::new();
    for cell in &all {
        let Some(side) = cell.uneven(code) else { continue };
        match sides.iter_mut().find(|(known, _)| *known == side) {
            Some((_, cells)) => cells.push(cell),
            None => sides.push((side, vec![cell])),
        }
    }
    let cause = |(Sides { found, others }, cells): &(Sides, Vec<&SharedCell<'_>>)| {
        let favours = match (FLATTER.contains(&code), HINDER.contains(&code)) {
            (true, _) => found.clone(),
            (_, true) => others.clone(),
            _ => Vec::new(),
        };
        Some(OtherCause {
            found: one_sided(code, cells)?,
            effect: CauseEffect::Unknown,
            favours,
            cells: names(cells, all.len()),
        })
    };
    sides.iter().filter_map(cause).collect()
}

/// The names of these cells; none where they are all of so many.
fn names(cells: &[&SharedCell<'_>], all: usize) -> Vec<String> {
    cells.iter().filter(|_| cells.len() < all).map(|cell| cell.name.to_owned()).collect()
}

/// What the rule found, as the first run has it, and in how many runs of each subject over these cells.
fn one_sided(code: &str, cells: &[&SharedCell<'_>]) -> Option<CauseFound> {
    let of_all = || cells.iter().flat_map(|cell| &cell.of);
    let first = of_all().find_map(|(_, runs)| runs.taints.get(code))?;
    let mut counts: Vec<RunsWithFinding> = Vec::new();
    for (letter, runs) in of_all() {
        let (found, of) = (runs.tainted(code), runs.runs);
        match counts.iter_mut().find(|count| count.subject == *letter) {
            Some(count) => (count.runs, count.of) = (count.runs + found, count.of + of),
            None => counts.push(RunsWithFinding { subject: (*letter).to_owned(), runs: found, of }),
        }
    }
    let TaintedRuns { finding, of_various_jobs, .. } = first.clone();
    Some(CauseFound::OneSided { finding, of_various_jobs, runs: counts })
}

/// Both sides read blocks that were perhaps never written, and the one that was measured first wrote a part of them: there were more of
/// them for it than for those after it.
fn ran_first(subjects: &[Subject]) -> Option<OtherCause> {
    let all = shared_cells(subjects);
    let of_all = |code: &str| -> Vec<&SharedCell<'_>> {
        let is_of_all = |cell: &&SharedCell<'_>| {
            cell.of.len() == subjects.len() && cell.of.iter().all(|(_, runs)| runs.share(code) >= UNEVEN)
        };
        all.iter().filter(is_of_all).collect()
    };
    let (code, cells) =
        OF_UNWRITTEN.into_iter().map(|code| (code, of_all(code))).find(|(_, of)| !of.is_empty())?;
    let is_in_turn = subjects.iter().any(|subject| subject.in_turn.is_some());
    let first = subjects.iter().min_by_key(|subject| subject.about.started_unix_ns)?;
    let started = first.about.started_unix_ns?;
    let is_before = |other: &Subject| other.about.started_unix_ns.is_some_and(|its| started < its);
    let others = subjects.iter().filter(|other| other.about.letter != first.about.letter);
    if !others.clone().all(is_before) {
        return None;
    }
    let is_read_later = |path: &str| {
        let others = subjects.iter().filter(|other| other.about.letter != first.about.letter);
        others.flat_map(|other| &other.targets).any(|target| target.path == path)
    };
    let wrote = first.targets.iter().any(|target| target.is_written && is_read_later(&target.path));
    if is_in_turn || !wrote || subjects.len() < 2 {
        return None;
    }
    let subject = first.about.letter.clone();
    Some(OtherCause {
        found: CauseFound::MeasuredFirst { subject: subject.clone(), rule: code.to_owned() },
        effect: CauseEffect::Unknown,
        favours: vec![subject],
        cells: names(&cells, all.len()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_words::comparison::changes_figures;
    use std::collections::BTreeSet;

    #[test]
    fn the_tables_name_rules_each_once_and_each_has_its_words() {
        let codes: Vec<&str> = FLATTER.into_iter().chain(HINDER).collect();
        assert!(codes.iter().all(|code| RULES.iter().any(|rule| rule.code == *code)), "{codes:?}");
        assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
        let with_words = RULES.iter().filter(|rule| changes_figures(rule.code).is_some());
        assert_eq!(with_words.map(|rule| rule.code).collect::<BTreeSet<_>>(), codes.into_iter().collect());
    }
}
