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
use crate::quick::FILL;
use crate::surrounds::Surrounds;
use crate::taint::{RULES, TaintWeight};
use fathom_results::{Answer, RunResult};

/// The answer of a run that was judged.
pub(crate) fn answer(run: &RunResult, seen: &Surrounds, is_quick: bool) -> Answer {
    let mut case = Case::new(run, seen);
    if is_quick {
        // The fill prepares the target; its own figures are not judged.
        case.cells.retain(|cell| cell.name() != FILL);
    }
    let instead = instead(&case);
    Answer {
        measured: measured::measured(&case),
        result: result::result(&case, is_quick),
        class: class(&case).filter(|_| instead.is_none()),
        trust: trust::trust(&case, is_quick),
        limit: limit::limit(&case),
        next: next::next(&case, is_quick),
        instead,
    }
}

/// What was measured instead of the disk: the most serious such taint.
fn instead(case: &Case<'_>) -> Option<String> {
    RULES.iter().find_map(|rule| {
        let TaintWeight::Instead(words) = rule.weight else { return None };
        Some(format!("{words}: {}", rule.found(case)?.evidence))
    })
}

/// Was anything measured?
fn has_figures(case: &Case<'_>) -> bool {
    case.cells.iter().any(|cell| cell.ios() > 0)
}
