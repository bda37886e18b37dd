//! The answer of any run: what was measured, the figures, trust, limit, next command.
//!
//! It repeats in short what verdict, taints and figures say, so that ten seconds are enough. Each
//! part is a file.

mod jobs;
mod limit;
mod lost;
mod measured;
mod next;
mod remarks;
mod result;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_figures;
#[cfg(test)]
mod tests_of_jobs;
mod trust;

pub use limit::UNSEEN;
pub use result::of_the_asked;
pub use trust::{and_more, without_more};

use crate::case::Case;
use crate::cell::Cell;
use crate::class::class;
use crate::quick::{FILL, rules_of_quick};
use crate::surrounds::Surrounds;
use crate::taint::{RULES, fall_seen, fallen};
use fathom_results::{Answer, Finding, RunResult, Weight};
use fathom_words::{FindingWords, of_jobs, part};

/// The answer of a run that was judged.
pub(crate) fn answer(run: &RunResult, seen: &Surrounds, is_quick: bool) -> Answer {
    let mut case = Case::new(run, seen);
    if is_quick {
        // The fill prepares the target; its own figures are not judged.
        case.cells.retain(|cell| cell.name() != FILL);
    }
    let doubts = Doubts::of(&case, is_quick);
    let lost = lost::lost(&case);
    let before = |text: String, end: &str| match &lost {
        Some(lost) => format!("{lost}{end} {text}"),
        None => text,
    };
    let of_instead = || doubts.instead().map(|text| text + &falls(&case));
    let instead = failed(&case).or_else(of_instead).map(|text| before(text, "."));
    let result = result::result(&case, is_quick);
    Answer {
        measured: measured::measured(&case),
        jobs: jobs::jobs(&case),
        // What failed is told once: in the line that is shown in the place of the result, where there is one.
        result: if instead.is_some() { result } else { before(result, ";") },
        class: class(&case).filter(|_| instead.is_none()),
        trust: trust::trust(&case, &doubts),
        reasons: trust::reasons(&case, &doubts).into_iter().map(|reason| reason.sentence).collect(),
        limit: limit::limit(&case),
        // The verdict of `quick` has it.
        limit_evidence: if is_quick { Vec::new() } else { limit::evidence(&case) },
        next: next::next(&case, &doubts, is_quick),
        remarks: remarks::remarks(&case, is_quick),
        instead,
    }
}

/// Falls that are named in the place of the result.
const FALLS_MAX: usize = 2;

/// The rates that fell, behind what was measured instead of the disk: `; w: fell from 107 MB/s to 28.9 MB/s at second 11, …`.
fn falls(case: &Case<'_>) -> String {
    let told: Vec<String> = fallen(case)
        .map(|(cell, fall)| format!("; {}", fathom_words::rate_fall(&fall_seen(cell, &fall))))
        .collect();
    let more = told.len().saturating_sub(FALLS_MAX);
    let more = if more > 0 { format!("; {more} more rates fell") } else { String::new() };
    told.into_iter().take(FALLS_MAX).collect::<String>() + &more
}

/// The rule about I/O of other programs.
const FOREIGN_IO: &str = "foreign-io";

/// What the rules found, the most serious first: those of every run, then those of `quick`.
struct Doubts(Vec<(Finding, FindingWords)>);

impl Doubts {
    fn of(case: &Case<'_>, is_quick: bool) -> Self {
        let of_quick = rules_of_quick().filter(|_| is_quick);
        let findings = RULES.iter().chain(of_quick).filter_map(|rule| rule.found(case));
        Doubts(findings.map(|it| (it.clone(), fathom_words::of_finding(&it))).collect())
    }

    /// What was measured instead of the disk. What answered the I/O comes before who else used the
    /// disk, and what is true of all jobs before what is true of some.
    fn instead(&self) -> Option<String> {
        let instead = self.0.iter().filter_map(|(finding, words)| {
            let (claim, _) = fathom_words::instead(finding)?;
            Some((finding, words, claim))
        });
        let (foreign, answered): (Vec<_>, Vec<_>) = instead.partition(|(it, ..)| it.code() == FOREIGN_IO);
        let all: Vec<_> = answered.into_iter().chain(foreign).collect();
        if let Some((_, words, claim)) = all.iter().find(|(it, ..)| it.jobs.is_none()) {
            return Some(format!("{claim}: {}", words.few()));
        }
        let named = |finding: &Finding, claim: &str| {
            let names = finding.jobs.as_ref().map(part).unwrap_or_default();
            format!("{names}: {}", uncapital(claim))
        };
        match all.as_slice() {
            [] => None,
            [(finding, words, claim)] => Some(format!("{}: {}", named(finding, claim), words.few())),
            // The evidence is in the list of reasons.
            several => {
                let each: Vec<String> = several.iter().map(|(it, _, claim)| named(it, claim)).collect();
                Some(each.join("; "))
            }
        }
    }

    /// Was I/O of other programs found, however little?
    fn has_foreign_io(&self) -> bool {
        self.0.iter().any(|(finding, _)| finding.code() == FOREIGN_IO)
    }

    /// What it means for the figures that something else than the disk answered.
    fn meaning(&self) -> Option<String> {
        self.0.iter().find_map(|(finding, _)| {
            let (_, meaning) = fathom_words::instead(finding)?;
            Some(of_jobs(finding.jobs.as_ref(), meaning))
        })
    }

    /// The codes, those that have the most to say about what to do next first. I/O of others that is too little for low
    /// trust asks for nothing.
    fn codes_to_act_on(&self) -> impl Iterator<Item = &str> {
        let findings = || self.0.iter().map(|(finding, _)| finding);
        let foreign = findings().filter(|it| it.code() == FOREIGN_IO && it.weight == Weight::Instead);
        let (instead, rest): (Vec<_>, Vec<_>) =
            findings().filter(|it| it.code() != FOREIGN_IO).partition(|it| it.weight == Weight::Instead);
        instead.into_iter().chain(foreign).chain(rest).map(Finding::code)
    }
}

/// In the middle of a sentence.
fn uncapital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// How many jobs failed, and why the first did. Clones are one job, as everywhere in the answer; of a single job its
/// workers are counted.
fn failed(case: &Case<'_>) -> Option<String> {
    let failures = || case.run.jobs.iter().filter_map(|job| job.outcome.as_ref()?.failure.as_ref());
    let first = &failures().next()?.message;
    let all = Cell::all(case.run);
    let (what, n, all) = match all.as_slice() {
        [only] => ("workers", failures().count(), only.members.len()),
        several => ("jobs", several.iter().filter(|cell| cell.failure().is_some()).count(), several.len()),
    };
    Some(match (n, all) {
        (_, 1) => format!("The job failed: {first}"),
        (1, all) => format!("1 of {all} {what} failed: {first}"),
        (n, all) => format!("{n} of {all} {what} failed, the first: {first}"),
    })
}

/// Was anything measured?
fn has_figures(case: &Case<'_>) -> bool {
    case.cells.iter().any(|cell| cell.ios() > 0)
}
