//! Other causes than what was changed: what was found, and what that means beside the figures.

use super::{named, property};
use crate::{capital, of_finding};
use fathom_results::{
    CauseEffect, CauseFound, Comparison, Difference, DifferenceOf, Evidence, Finding, NotShown, OtherCause,
};
use fathom_text::words::listed;

/// A drive answers such reads without its medium; a file system without the drive.
const UNWRITTEN: &str = "reads of blocks that were never written are faster than others";
const MEMORY: &str = "memory is faster than a disk";
const TAKES_TIME: &str = "that takes time from the I/O";

/// What the finding of a rule does to figures, as a clause; `None` for rules of which that is not known.
pub fn changes_figures(rule: &str) -> Option<&'static str> {
    Some(match rule {
        "unwritten-range" | "unknown-content" => UNWRITTEN,
        "page-cache" | "memory-backed" => MEMORY,
        "no-target" => "no disk took part",
        "too-fast" => "a cache is faster than a disk",
        "foreign-io" => "that takes a part of the disk's time",
        "cpu-quota" => "a program that may not run issues no I/O",
        "generator-limited" => "a faster disk would have shown the same rate",
        "data-limited" | "log-limited" | "host-disturbed" => TAKES_TIME,
        "clock-low" => "a slower CPU makes each I/O slower",
        "too-hot" => "a part that is too hot slows itself down",
        "steal" => "that makes each I/O slower",
        "stopped" => "nothing is measured in that time",
        "rate-fell" => {
            "compared is the rate that lasted, and a side whose rate did not fall may have been measured before its cache was full"
        }
        "woken-late" => "that makes each response longer",
        _ => return None,
    })
}

/// What takes the headline's place, and why: two sentences.
pub fn not_shown(comparison: &Comparison) -> Option<(String, String)> {
    let NotShown::OtherCause { cause } = comparison.not_shown.as_ref()?;
    let cause = comparison.causes.get(*cause)?;
    Some((effect(comparison, cause) + ".", format!("{}.", capital(&found(&cause.found)))))
}

/// The causes that do not take the headline's place, a clause each.
pub(super) fn others(comparison: &Comparison) -> Vec<String> {
    let is_told = |place: usize| comparison.not_shown == Some(NotShown::OtherCause { cause: place });
    let others = comparison.causes.iter().enumerate().filter(|(place, _)| !is_told(*place));
    others.map(|(_, cause)| format!("{}: {}", effect(comparison, cause), found(&cause.found))).collect()
}

/// What was found, in which runs, and what it does to figures: a clause without its full stop.
fn found(found: &CauseFound) -> String {
    match found {
        CauseFound::OneSided { finding, of_various_jobs, runs } => {
            let each = runs.iter().map(|it| format!("{} in {} of {} runs", it.subject, it.runs, it.of));
            let each = each.collect::<Vec<_>>().join(", ");
            let why = changes_figures(finding.code()).map(|why| format!("; {why}")).unwrap_or_default();
            format!("{} ({each}){why}", claim(finding, *of_various_jobs))
        }
        CauseFound::MeasuredFirst { subject, .. } => format!(
            "{subject} read more blocks that were perhaps never written, because it was measured first and its own jobs \
             wrote some of them; {UNWRITTEN}"
        ),
    }
}

/// What a rule found in some runs, which may be of other jobs in each.
fn claim(finding: &Finding, of_various_jobs: bool) -> String {
    match finding.evidence {
        Evidence::Unstable { .. } if of_various_jobs => "jobs were not steady".to_owned(),
        Evidence::RateFell { .. } if of_various_jobs => "rates fell during the run".to_owned(),
        _ => of_finding(finding).claim.whole(),
    }
}

/// ` in the cell read depth=8`; empty for a cause of all cells.
fn place(cells: &[String]) -> String {
    match cells {
        [] => String::new(),
        [only] => format!(" in the cell {only}"),
        several => format!(" in {} cells ({})", several.len(), listed(several)),
    }
}

/// Which side had an advantage, and what that means for the verdict.
fn effect(comparison: &Comparison, cause: &OtherCause) -> String {
    let of = |is_favoured: bool| -> Vec<String> {
        let subjects = comparison.subjects.iter();
        let those = subjects.filter(|subject| cause.favours.contains(&subject.letter) == is_favoured);
        those.map(named).collect()
    };
    let (favoured, others) = (of(true).join(" and "), of(false));
    let is = |many: usize| if many > 1 { "are" } else { "is" };
    let (besides, place) = (besides(comparison), place(&cause.cells));
    let there = if place.is_empty() { "" } else { " there" };
    match cause.effect {
        CauseEffect::Explains => format!(
            "Not proved{place}: {favoured} had an advantage besides {besides}, which may be the whole reason why {} {} \
             better{there}",
            cause.favours.join(" and "),
            is(cause.favours.len())
        ),
        CauseEffect::Hides => {
            format!(
                "No answer yet{place}: {favoured} had an advantage besides {besides}, which can hide a difference"
            )
        }
        CauseEffect::Strengthens => format!(
            "{favoured} had an advantage{place} besides {besides}, but {} {} better{there} all the same, so without it the \
             difference would be larger",
            others.join(" and "),
            is(others.len())
        ),
        CauseEffect::Unknown if cause.favours.is_empty() => {
            format!("The differences{place} may have another cause, and it is not known whom that favours")
        }
        CauseEffect::Unknown => format!("{favoured} had an advantage in a detail{place}"),
    }
}

/// What was changed, in a few words.
fn besides(comparison: &Comparison) -> String {
    let all: Vec<&Difference> = comparison.own_differences().collect();
    match all.as_slice() {
        [only] if only.of == DifferenceOf::Job => property(only),
        [only] => format!("the {}", property(only)),
        _ => "what was changed".to_owned(),
    }
}
