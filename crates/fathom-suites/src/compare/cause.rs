//! Other causes than what was changed: what the rules found in the runs of one side and not of the other, and which side
//! that favours.

use super::subject::Subject;
use crate::taint::{RULES, UNKNOWN_CONTENT, UNWRITTEN_RANGE};
use fathom_results::OtherCause;

/// Subjects are uneven if shares of their runs with the same disturbance differ by this.
const UNEVEN: f64 = 0.5;

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
const HINDER: [(&str, &str); 7] = [
    ("foreign-io", "that takes a part of the disk's time"),
    ("generator-limited", "a faster disk would have shown the same rate"),
    ("log-limited", "that takes time from the I/O"),
    ("host-disturbed", "that takes time from the I/O"),
    ("clock-low", "a slower CPU makes each I/O slower"),
    ("too-hot", "a part that is too hot slows itself down"),
    ("steal", "that makes each I/O slower"),
];

/// The rules by which blocks that are read were never written.
const OF_UNWRITTEN: [&str; 2] = [UNWRITTEN_RANGE, UNKNOWN_CONTENT];

/// What disturbed some of the subjects and not the others, the most serious first; those of which it is not known which
/// side they favour are last.
pub(super) fn causes(subjects: &[Subject]) -> Vec<OtherCause> {
    let uneven = RULES.iter().filter_map(|rule| uneven(rule.code, subjects));
    let mut found: Vec<OtherCause> = ran_first(subjects).into_iter().chain(uneven).collect();
    found.sort_by_key(|cause| cause.favours.is_empty());
    found
}

/// Were blocks read, in most runs of some subject, that were perhaps never written?
pub(super) fn reads_unwritten(subjects: &[Subject]) -> bool {
    subjects.iter().any(|subject| OF_UNWRITTEN.iter().any(|code| share(subject, code) >= UNEVEN))
}

/// The share of the runs in which the rule found something.
fn share(subject: &Subject, code: &str) -> f64 {
    let runs = subject.taints.get(code).map_or(0, |tainted| tainted.runs);
    f64::from(runs) / f64::from(subject.about.runs.max(1))
}

/// What the rule found on one side only.
fn uneven(code: &str, subjects: &[Subject]) -> Option<OtherCause> {
    // Subjects of which no rule can know anything do not count.
    let judged: Vec<&Subject> = subjects.iter().filter(|subject| subject.about.trust.is_some()).collect();
    let shares = || judged.iter().map(|subject| share(subject, code));
    let (low, high) = shares().fold((1.0_f64, 0.0_f64), |(low, high), it| (low.min(it), high.max(it)));
    if high - low < UNEVEN {
        return None;
    }
    let message = &subjects.iter().find_map(|subject| subject.taints.get(code))?.message;
    let each = judged.iter().map(|subject| {
        let found = subject.taints.get(code).map_or(0, |tainted| tainted.runs);
        format!("{} in {found} of {} runs", subject.about.letter, subject.about.runs)
    });
    let each = each.collect::<Vec<_>>().join(", ");
    let middle = (low + high) / 2.0;
    let letters = |is_found: bool| -> Vec<String> {
        let those = judged.iter().filter(|subject| (share(subject, code) >= middle) == is_found);
        those.map(|subject| subject.about.letter.clone()).collect()
    };
    let why = |table: &[(&'static str, &'static str)]| {
        table.iter().find(|(known, _)| *known == code).map(|(_, why)| *why)
    };
    let (favours, why) = match (why(&FLATTER), why(&HINDER)) {
        (Some(why), _) => (letters(true), format!("; {why}")),
        (None, Some(why)) => (letters(false), format!("; {why}")),
        (None, None) => (Vec::new(), String::new()),
    };
    Some(OtherCause { code: code.to_owned(), says: format!("{message} ({each}){why}"), favours })
}

/// Both sides read blocks that were perhaps never written, and the one that was measured first wrote a part of them: there were more of
/// them for it than for those after it.
fn ran_first(subjects: &[Subject]) -> Option<OtherCause> {
    let code = OF_UNWRITTEN.into_iter().find(|code| subjects.iter().all(|one| share(one, code) >= UNEVEN))?;
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
