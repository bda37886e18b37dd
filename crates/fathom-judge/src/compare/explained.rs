//! What another cause means beside the figures: whether it can explain a difference, or hide one.

use crate::taint::RULES;
use fathom_results::{CauseEffect, ComparedFigure, Comparison, FigureVerdict, NotShown, OtherCause, Weight};

/// Says of each cause what it does to the verdict, and of the first that explains or hides a difference of all cells that it takes
/// the headline's place.
pub(super) fn explain(comparison: &mut Comparison) {
    let effects: Vec<CauseEffect> = comparison.causes.iter().map(|cause| effect(comparison, cause)).collect();
    comparison.causes.iter_mut().zip(effects).for_each(|(cause, effect)| cause.effect = effect);
    let takes_its_place = |cause: &OtherCause| {
        matches!(cause.effect, CauseEffect::Explains | CauseEffect::Hides) && is_of_all(comparison, cause)
    };
    let first = comparison.causes.iter().position(takes_its_place);
    comparison.not_shown = first.map(|cause| NotShown::OtherCause { cause });
}

/// Is the figure one of those that the cause can change?
fn is_of(figure: &ComparedFigure, cause: &OtherCause) -> bool {
    cause.cells.is_empty() || cause.cells.contains(&figure.cell)
}

/// Is the cause one of all cells, or of all those that differ? The others show something without those of the cause.
fn is_of_all(comparison: &Comparison, cause: &OtherCause) -> bool {
    let differs =
        |figure: &&ComparedFigure| figure.against.iter().any(|against| against.verdict.is_difference());
    let mut differing = comparison.figures.iter().filter(differs).peekable();
    let is_any = differing.peek().is_some();
    cause.cells.is_empty() || is_any && differing.all(|figure| is_of(figure, cause))
}

fn effect(comparison: &Comparison, cause: &OtherCause) -> CauseEffect {
    let rule = cause.found.rule();
    let is_detail = RULES.iter().any(|known| known.code == rule && known.weight == Weight::Aside);
    if cause.favours.is_empty() || is_detail {
        return CauseEffect::Unknown;
    }
    let is_favoured = |place: usize| cause.favours.contains(&comparison.subjects[place].letter);
    let (mut explains, mut is_against) = (false, false);
    for figure in comparison.figures.iter().filter(|figure| is_of(figure, cause)) {
        for (at, against) in figure.against.iter().enumerate() {
            let (better, worse) = match against.verdict {
                FigureVerdict::Better => (at + 1, 0),
                FigureVerdict::Worse => (0, at + 1),
                _ => continue,
            };
            match (is_favoured(better), is_favoured(worse)) {
                (true, false) => explains = true,
                (false, true) => is_against = true,
                _ => {}
            }
        }
    }
    match (explains, is_against) {
        (true, _) => CauseEffect::Explains,
        (false, true) => CauseEffect::Strengthens,
        (false, false) => CauseEffect::Hides,
    }
}
