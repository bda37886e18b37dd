//! The checks that the run made of itself: one line each, broken ones first.

use crate::self_check::{SelfCheckLine, lines, word};
use fathom_figures::Row;
use fathom_results::{CheckOutcome, RunResult};
use fathom_text::style::Style;

/// All checks; empty for a run without checks.
pub(super) fn details(run: &RunResult, rows: &[Row<'_>], style: Style) -> String {
    block(&lines(run, rows), style)
}

fn block(lines: &[SelfCheckLine<'_>], style: Style) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let is_broken = lines.iter().any(|line| line.outcome == Some(CheckOutcome::Broken));
    let title = if is_broken { style.bad("checks") } else { style.strong("checks") };
    let mut out = title + "\n";
    let mut before = None;
    for line in lines {
        // The label of a kind is shown once.
        let kind = (line.label, line.outcome);
        let is_first = before.replace(kind) != Some(kind);
        let told = line.outcome.filter(|_| is_first).map(|outcome| format!("{}: ", word(outcome)));
        let text = told.unwrap_or_default() + &line.text;
        out.push_str(&style.labelled(if is_first { line.label } else { "" }, &text));
    }
    out
}
