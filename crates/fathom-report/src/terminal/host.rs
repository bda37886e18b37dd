//! What the doctor says of the machine, below the figures.

use crate::host_findings::{When, all, word};
use fathom_results::{Fact, RunResult};
use fathom_text::style::Style;

/// Findings shown before the rest is only counted.
const LINES_MAX: usize = 12;

/// Every finding with its sentence; empty without any.
pub(super) fn details(run: &RunResult, style: Style) -> String {
    let (all, tuned) = (all(run), tuned(run, style));
    if all.is_empty() && tuned.is_empty() {
        return String::new();
    }
    let mut out = style.strong("host") + "\n" + &tuned;
    for (when, finding) in all.iter().take(LINES_MAX) {
        let when = if *when == When::During { ", during the run" } else { "" };
        let text = format!("{} {}: {}{when}", finding.check, finding.subject, finding.says);
        out.push_str(&style.labelled(word(finding.weight), &text));
    }
    if all.len() > LINES_MAX {
        out.push_str(&style.labelled("", &format!("and {} more, in the record", all.len() - LINES_MAX)));
    }
    if !all.is_empty() {
        out.push_str(&style.labelled("", "each is explained by: fathom doctor --explain CHECK"));
    }
    out
}

/// What was tuned for the run: without it the figures cannot be repeated.
fn tuned(run: &RunResult, style: Style) -> String {
    let knobs = run.record.host.iter().filter_map(|fact| Some((fact.name.strip_prefix("tune.")?, fact)));
    let told = |(knob, fact): (&str, &Fact)| format!("{knob} {}", fact.value.as_deref().unwrap_or("not set"));
    let knobs: Vec<String> = knobs.map(told).collect();
    if knobs.is_empty() { String::new() } else { style.labelled("tuned", &knobs.join(", ")) }
}
