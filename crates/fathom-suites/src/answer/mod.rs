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
    let instead = doubts.instead();
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

/// What the rules found, the most serious first: those of every run, then those of `quick`.
struct Doubts(Vec<(&'static TaintRule, Found)>);

impl Doubts {
    fn of(case: &Case<'_>, is_quick: bool) -> Self {
        let of_quick = rules_of_quick().filter(|_| is_quick);
        Doubts(RULES.iter().chain(of_quick).filter_map(|rule| Some((rule, rule.found(case)?))).collect())
    }

    /// What was measured instead of the disk: the most serious such taint.
    fn instead(&self) -> Option<String> {
        self.0.iter().find_map(|(rule, found)| match rule.weight {
            TaintWeight::Instead(words) => Some(format!("{words}: {}", found.evidence)),
            _ => None,
        })
    }
}

/// Was anything measured?
fn has_figures(case: &Case<'_>) -> bool {
    case.cells.iter().any(|cell| cell.ios() > 0)
}
