//! Other causes than what was changed: what the rules found in the runs of one side and not of the other, and which side
//! that favours.

use super::shared_cell::{SharedCell, Sides, UNEVEN, shared_cells};
use super::subject::Subject;
use crate::taint::{RATE_FELL, RULES, UNKNOWN_CONTENT, UNWRITTEN_RANGE};
use fathom_results::OtherCause;

/// Rules whose finding makes figures better than the disk's own, and why.
const FLATTER: [(&str, &str); 6] = [
    (UNWRITTEN_RANGE, UNWRITTEN),
    (UNKNOWN_CONTENT, UNWRITTEN),
    ("page-cache", "memory is faster than a disk"),
    ("memory-backed", "memory is faster than a disk"),
    ("no-target", "no disk took part"),
    ("too-fast", "a cache is faster than a disk"),
];

/// A drive answers such reads without its medium; a file system without the drive.
const UNWRITTEN: &str = "reads of blocks that were never written are faster than others";

/// Rules whose finding makes figures worse than without it, and why.
const HINDER: [(&str, &str); 12] = [
    ("foreign-io", "that takes a part of the disk's time"),
    ("cpu-quota", "a program that may not run issues no I/O"),
    ("generator-limited", "a faster disk would have shown the same rate"),
    ("data-limited", "that takes time from the I/O"),
    ("log-limited", "that takes time from the I/O"),
    ("host-disturbed", "that takes time from the I/O"),
    ("clock-low", "a slower CPU makes each I/O slower"),
    ("too-hot", "a part that is too hot slows itself down"),
    ("steal", "that makes each I/O slower"),
    ("stopped", "nothing is measured in that time"),
    (
        RATE_FELL,
        "compared is the rate that lasted, and a side whose rate did not fall may have been measured before its cache was full",
    ),
    ("woken-late", "that makes each response longer"),
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
        let (favours, why) = match (why(&FLATTER, code), why(&HINDER, code)) {
            (Some(why), _) => (found.clone(), format!("; {why}")),
            (None, Some(why)) => (others.clone(), format!("; {why}")),
            (None, None) => (Vec::new(), String::new()),
        };
        let is_all = cells.len() == all.len();
        OtherCause {
            code: code.to_owned(),
            says: format!("{} ({}){why}", message(code, cells), each(code, cells)),
            favours,
            cells: cells.iter().filter(|_| !is_all).map(|cell| cell.name.to_owned()).collect(),
        }
    };
    sides.iter().map(cause).collect()
}

/// What this table says that the rule does to figures.
fn why(table: &[(&'static str, &'static str)], code: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == code).map(|(_, why)| *why)
}

/// The reason, as the first run has it.
fn message<'a>(code: &str, cells: &[&SharedCell<'a>]) -> &'a str {
    let mut runs = cells.iter().flat_map(|cell| &cell.of);
    runs.find_map(|(_, runs)| runs.taints.get(code)).map_or("", |tainted| &tainted.message)
}

/// `A in 0 of 3 runs, B in 3 of 3 runs`, over these cells.
fn each(code: &str, cells: &[&SharedCell<'_>]) -> String {
    let mut counts: Vec<(&str, u32, u32)> = Vec::new();
    for (letter, runs) in cells.iter().flat_map(|cell| &cell.of) {
        let (found, of) = (runs.tainted(code), runs.runs);
        match counts.iter_mut().find(|(known, ..)| known == letter) {
            Some(count) => (count.1, count.2) = (count.1 + found, count.2 + of),
            None => counts.push((letter, found, of)),
        }
    }
    let told = counts.iter().map(|(letter, found, of)| format!("{letter} in {found} of {of} runs"));
    told.collect::<Vec<_>>().join(", ")
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
    let is_all = cells.len() == all.len();
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
    let letter = &first.about.letter;
    Some(OtherCause {
        code: code.to_owned(),
        says: format!(
            "{letter} read more blocks that were perhaps never written, because it was measured first and its own jobs \
             wrote some of them; {UNWRITTEN}"
        ),
        favours: vec![first.about.letter.clone()],
        cells: cells.iter().filter(|_| !is_all).map(|cell| cell.name.to_owned()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_tables_name_rules_each_once() {
        let codes: Vec<&str> = FLATTER.iter().chain(&HINDER).map(|(code, _)| *code).collect();
        assert!(codes.iter().all(|code| RULES.iter().any(|rule| rule.code == *code)), "{codes:?}");
        assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
    }
}
