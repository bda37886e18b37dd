//! The checks that the run made of itself, as a table.

use super::markup::{element, escape};
use crate::self_check::{SelfCheckLine, lines, word};
use fathom_figures::Row;
use fathom_results::{CheckOutcome, RunResult};

/// The table with its heading; empty for a run without checks.
pub(super) fn list(run: &RunResult, rows: &[Row<'_>]) -> String {
    let lines: String = lines(run, rows).iter().map(line).collect();
    if lines.is_empty() {
        return lines;
    }
    format!(
        "<h3>Checks of the run itself</h3>\n<table class=\"pairs\">\n<tbody>\n{lines}</tbody>\n</table>\n"
    )
}

fn line(line: &SelfCheckLine<'_>) -> String {
    let outcome = line.outcome.map_or_else(String::new, badge);
    format!(
        "<tr><th scope=\"row\">{}</th><td>{outcome}{}</td></tr>\n",
        escape(line.label),
        escape(&line.text)
    )
}

/// Only a broken check has a coloured badge.
fn badge(outcome: CheckOutcome) -> String {
    let text = word(outcome);
    match outcome {
        CheckOutcome::Broken => format!("<span class=\"badge bad\">{text}</span> "),
        CheckOutcome::Unknown => format!("<span class=\"unknown\">{text}</span>: "),
        CheckOutcome::Holds => element("b", text) + ": ",
    }
}
