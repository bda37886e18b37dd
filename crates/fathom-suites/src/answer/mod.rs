//! The answer of any run: what was measured, the figures, trust, limit, next command.
//!
//! It repeats in short what verdict, taints and figures say, so that ten seconds are enough. Each
//! part is a file.

mod again;
mod limit;
mod measured;
mod next;
mod result;
#[cfg(test)]
mod tests;
mod trust;

use crate::case::Case;
use crate::class::class;
use crate::quick::{FILL, rules_of_quick};
use crate::surrounds::Surrounds;
use crate::taint::{Found, RULES, TaintRule, TaintWeight};
use fathom_results::{Answer, RunResult};

/// The answer of a run that was judged.
pub(crate) fn answer(run: &RunResult, seen: &Surrounds, is_quick: bool) -> Answer {
    let mut case = Case::new(run, seen);
    if is_quick {
        // The fill prepares the target; its own figures are not judged.
        case.cells.retain(|cell| cell.name() != FILL);
    }
    let doubts = Doubts::of(&case, is_quick);
    let instead = failed(&case).or_else(|| doubts.instead());
    Answer {
        measured: measured::measured(&case),
        result: result::result(&case, is_quick),
        class: class(&case).filter(|_| instead.is_none()),
        trust: trust::trust(&case, &doubts),
        limit: limit::limit(&case),
        next: next::next(&case, &doubts, is_quick),
        instead,
    }
}

/// The rule about I/O of other programs.
const FOREIGN_IO: &str = "foreign-io";

/// What the rules found, the most serious first: those of every run, then those of `quick`.
struct Doubts(Vec<(&'static TaintRule, Found)>);

impl Doubts {
    fn of(case: &Case<'_>, is_quick: bool) -> Self {
        let of_quick = rules_of_quick().filter(|_| is_quick);
        Doubts(RULES.iter().chain(of_quick).filter_map(|rule| Some((rule, rule.found(case)?))).collect())
    }

    /// What was measured instead of the disk. What answered the I/O comes before who else used the
    /// disk.
    fn instead(&self) -> Option<String> {
        let told = |(rule, found): &(&TaintRule, Found)| match weight(rule, found) {
            TaintWeight::Instead(words, _) => Some(format!("{words}: {}", found.evidence)),
            _ => None,
        };
        let is_foreign = |rule: &TaintRule| rule.code == FOREIGN_IO;
        let answered = self.0.iter().filter(|(rule, _)| !is_foreign(rule)).find_map(told);
        answered.or_else(|| self.0.iter().find_map(told))
    }

    /// What it means for the figures that something else than the disk answered.
    fn meaning(&self) -> Option<&'static str> {
        self.0.iter().find_map(|(rule, found)| match weight(rule, found) {
            TaintWeight::Instead(_, meaning) => Some(meaning),
            _ => None,
        })
    }

    /// The codes, those that have the most to say about what to do next first.
    fn codes(&self) -> impl Iterator<Item = &'static str> {
        let foreign = self.0.iter().filter(|(rule, _)| rule.code == FOREIGN_IO);
        let others = self.0.iter().filter(|(rule, _)| rule.code != FOREIGN_IO);
        let (instead, rest): (Vec<_>, Vec<_>) =
            others.partition(|(rule, found)| matches!(weight(rule, found), TaintWeight::Instead(..)));
        instead.into_iter().chain(foreign).chain(rest).map(|(rule, _)| rule.code)
    }
}

/// What a taint means for the trust.
fn weight(rule: &TaintRule, found: &Found) -> TaintWeight {
    found.weight.unwrap_or(rule.weight)
}

/// How many jobs failed, and why the first did.
fn failed(case: &Case<'_>) -> Option<String> {
    let failures = case.run.jobs.iter().filter_map(|job| job.outcome.as_ref()?.failure.as_ref());
    let failed: Vec<&str> = failures.map(|failure| failure.message.as_str()).collect();
    let first = failed.first()?;
    Some(match (failed.len(), case.run.jobs.len()) {
        (_, 1) => format!("The job failed: {first}"),
        (1, all) => format!("1 of {all} jobs failed: {first}"),
        (n, all) => format!("{n} of {all} jobs failed, the first: {first}"),
    })
}

/// Was anything measured?
fn has_figures(case: &Case<'_>) -> bool {
    case.cells.iter().any(|cell| cell.ios() > 0)
}
