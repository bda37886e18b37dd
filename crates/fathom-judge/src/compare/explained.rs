//! What another cause means beside the figures: whether it can explain a difference, or hide one, and whom it favours.

use super::differ::own;
use super::said::named;
use crate::taint::RULES;
use fathom_results::{
    ComparedFigure, ComparedSubject, Comparison, Difference, DifferenceOf, FigureVerdict, NotShown,
    OtherCause, Weight,
};
use fathom_text::quantity::listed;
use fathom_words::capital;

/// Differences that are named one by one.
const NAMED: usize = 3;

/// What takes the headline's place, and what else needs care because of causes that nobody tested.
pub(super) struct Explained {
    pub not_shown: Option<NotShown>,
    pub also: Vec<String>,
}

/// What a cause does to the verdict on the figures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// The side that it favours is better.
    Explains,
    /// No figure differs, or it is unclear: without the cause, one may differ.
    Hides,
    /// The other side is better all the same.
    Strengthens,
    /// It is not known which side it favours, or it changes a detail only.
    Unknown,
}

pub(super) fn explained(comparison: &Comparison) -> Explained {
    let mut found = Explained { not_shown: None, also: Vec::new() };
    for cause in &comparison.causes {
        let effect = effect(comparison, cause);
        let says = said(comparison, cause, effect);
        match effect {
            Effect::Explains | Effect::Hides if found.not_shown.is_none() && is_of_all(comparison, cause) => {
                found.not_shown =
                    Some(NotShown { says: says + ".", because: format!("{}.", capital(&cause.says)) });
            }
            _ => found.also.push(format!("{says}: {}", cause.says)),
        }
    }
    found.also.extend(several(comparison));
    if let Some(says) = same_run(comparison) {
        let because = "Name two runs: fathom runs lists them.".to_owned();
        found.not_shown = Some(NotShown { says, because });
    }
    found
}

/// Is the figure one of those that the cause can change?
fn is_of(figure: &ComparedFigure, cause: &OtherCause) -> bool {
    cause.cells.is_empty() || cause.cells.contains(&figure.cell)
}

/// Is the cause one of all cells, or of all those that differ? The others show something without those of the cause.
fn is_of_all(comparison: &Comparison, cause: &OtherCause) -> bool {
    let is_found =
        |figure: &&ComparedFigure| figure.against.iter().any(|against| is_difference(against.verdict));
    let mut differing = comparison.figures.iter().filter(is_found).peekable();
    let is_any = differing.peek().is_some();
    cause.cells.is_empty() || is_any && differing.all(|figure| is_of(figure, cause))
}

fn is_difference(verdict: FigureVerdict) -> bool {
    matches!(verdict, FigureVerdict::Better | FigureVerdict::Worse)
}

/// ` in the cell read depth=8`; empty for a cause of all cells.
fn place(cause: &OtherCause) -> String {
    match cause.cells.as_slice() {
        [] => String::new(),
        [only] => format!(" in the cell {only}"),
        several => format!(" in {} cells ({})", several.len(), listed(several)),
    }
}

fn effect(comparison: &Comparison, cause: &OtherCause) -> Effect {
    let is_detail = RULES.iter().any(|rule| rule.code == cause.code && rule.weight == Weight::Aside);
    if cause.favours.is_empty() || is_detail {
        return Effect::Unknown;
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
        (true, _) => Effect::Explains,
        (false, true) => Effect::Strengthens,
        (false, false) => Effect::Hides,
    }
}

fn said(comparison: &Comparison, cause: &OtherCause, effect: Effect) -> String {
    let of = |is_favoured: bool| -> Vec<String> {
        let subjects = comparison.subjects.iter();
        let those = subjects.filter(|subject| cause.favours.contains(&subject.letter) == is_favoured);
        those.map(named).collect()
    };
    let (favoured, others) = (of(true).join(" and "), of(false));
    let is = |many: usize| if many > 1 { "are" } else { "is" };
    let (besides, place) = (besides(comparison), place(cause));
    let there = if place.is_empty() { "" } else { " there" };
    match effect {
        Effect::Explains => format!(
            "Not proved{place}: {favoured} had an advantage besides {besides}, which may be the whole reason why {} {} \
             better{there}",
            cause.favours.join(" and "),
            is(cause.favours.len())
        ),
        Effect::Hides => {
            format!(
                "No answer yet{place}: {favoured} had an advantage besides {besides}, which can hide a difference"
            )
        }
        Effect::Strengthens => format!(
            "{favoured} had an advantage{place} besides {besides}, but {} {} better{there} all the same, so without it the \
             difference would be larger",
            others.join(" and "),
            is(others.len())
        ),
        Effect::Unknown if cause.favours.is_empty() => {
            format!("The differences{place} may have another cause, and it is not known whom that favours")
        }
        Effect::Unknown => format!("{favoured} had an advantage in a detail{place}"),
    }
}

/// That all subjects are the same rounds.
fn same_run(comparison: &Comparison) -> Option<String> {
    let of = |subject: &ComparedSubject| Some((subject.id.clone()?, subject.name.clone()));
    let first = comparison.subjects.first().and_then(of)?;
    let same: Vec<&str> = comparison
        .subjects
        .iter()
        .filter(|subject| of(subject).as_ref() == Some(&first))
        .map(|subject| subject.letter.as_str())
        .collect();
    let is_all = same.len() > 1 && same.len() == comparison.subjects.len();
    is_all.then(|| format!("{} are the same run, so nothing can differ.", same.join(" and ")))
}

/// What was changed, in a few words.
fn besides(comparison: &Comparison) -> String {
    let all: Vec<&Difference> = own(&comparison.differences).collect();
    match all.as_slice() {
        [only] if only.of == DifferenceOf::Job => only.what.clone(),
        [only] => format!("the {}", only.what),
        _ => "what was changed".to_owned(),
    }
}

/// Several properties differ, and each can be the cause.
fn several(comparison: &Comparison) -> Option<String> {
    let names: Vec<&str> = own(&comparison.differences).map(|differs| differs.what.as_str()).collect();
    if names.len() < 2 {
        return None;
    }
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let first = names[..names.len().min(NAMED)].join(", ");
    Some(format!(
        "{} properties differ ({first}{more}): the figures do not tell which of them is the cause",
        names.len()
    ))
}
