//! The first part of the page: what the figures say, or what can explain them instead; what differs, how sure it is, and what
//! to do.

use super::super::markup::{element, escape};
use crate::comparison;
use fathom_results::{Basis, Comparison, Difference, FigureVerdict};
use fathom_text::shown::line;
use fathom_words::{StepWords, comparison as words};

/// Differences that the verdict names; the table has all.
const CHANGES_SHOWN: usize = 2;

/// The section, in the colour of its answer.
pub(super) fn verdict(compared: &Comparison) -> String {
    let all = || compared.figures.iter().flat_map(|figure| &figure.against).map(|against| against.verdict);
    let class = match () {
        () if compared.not_shown.is_some() => "low",
        () if all().any(|verdict| verdict == FigureVerdict::Worse) => "low",
        () if all().any(|verdict| verdict == FigureVerdict::Better) => "good",
        () if all().any(FigureVerdict::is_unclear) => "careful",
        () => "good",
    };
    let headline = escape(&line(&words::headline(compared)));
    let headline = match words::not_shown(compared) {
        Some((says, because)) => format!(
            "<h2>{}</h2>\n<p>{}</p>\n<p>The figures alone: {headline}</p>\n",
            escape(&line(&says)),
            escape(&line(&because))
        ),
        None => format!("<h2>{headline}</h2>\n"),
    };
    let care: String = words::doubts(compared).iter().map(|doubt| element("li", &line(doubt))).collect();
    let care = if care.is_empty() { care } else { format!("<ul class=\"care\">{care}</ul>\n") };
    format!(
        "<section class=\"verdict {class}\">\n{headline}{}{}{care}{}</section>\n",
        changed(compared),
        sureness(compared),
        steps(compared)
    )
}

/// The first of what differs, because it is the question that the reader has.
fn changed(compared: &Comparison) -> String {
    let own: Vec<&Difference> = compared.own_differences().collect();
    let shown = own.iter().take(CHANGES_SHOWN);
    let shown: Vec<String> =
        shown.map(|it| escape(&comparison::difference(it, &compared.subjects))).collect();
    let more = match own.len().saturating_sub(CHANGES_SHOWN) {
        0 => String::new(),
        more => format!("; {more} more below"),
    };
    if shown.is_empty() {
        return String::new();
    }
    format!(
        "<p class=\"changed\">What differs between them: <strong>{}</strong>{more}.</p>\n",
        shown.join("; ")
    )
}

/// How often a verdict is wrong by chance; empty where no figure has one.
fn sureness(compared: &Comparison) -> String {
    let mut all = compared.figures.iter().flat_map(|figure| &figure.against);
    if !all.any(|against| against.verdict.is_difference() && against.basis != Basis::Within) {
        return String::new();
    }
    let runs = compared.subjects.iter().map(|it| format!("{} has {}", it.letter, comparison::runs(it)));
    format!(
        "<p class=\"sure\">How sure: if nothing had changed, at most 5 of 100 such pages would show any figure as better or worse; {}.</p>\n",
        runs.collect::<Vec<_>>().join(", ")
    )
}

/// What to do next.
fn steps(compared: &Comparison) -> String {
    let step = |step: &StepWords| {
        format!("<code>{}</code> {}", escape(&line(&step.command)), escape(&line(&step.why)))
    };
    match words::steps(compared).as_slice() {
        [] => String::new(),
        [next] => format!("<p>Next: {}</p>\n", step(next)),
        steps => {
            let each: String = steps.iter().map(|it| format!("<li>{}</li>\n", step(it))).collect();
            format!("<p>Next, in this order:</p>\n<ol class=\"steps\">\n{each}</ol>\n")
        }
    }
}
