//! What the doctor says of the machine, below the figures.

use super::ink::Style;
use crate::host_findings::{When, all, count, word};
use fathom_results::{FindingWeight, RunResult};

/// Findings shown before the rest is only counted.
const LINES_MAX: usize = 12;

/// Every finding with its sentence; empty without any.
pub(super) fn details(run: &RunResult, style: Style) -> String {
    let all = all(run);
    if all.is_empty() {
        return String::new();
    }
    let mut out = style.strong("host") + "\n";
    for (when, finding) in all.iter().take(LINES_MAX) {
        let when = if *when == When::During { ", during the run" } else { "" };
        let text = format!("{} {}: {}{when}", finding.check, finding.subject, finding.says);
        out.push_str(&style.labelled(word(finding.weight), &text));
    }
    if all.len() > LINES_MAX {
        out.push_str(&style.labelled("", &format!("and {} more, in the record", all.len() - LINES_MAX)));
    }
    out.push_str(&style.labelled("", "each is explained by: fathom doctor --explain CHECK"));
    out
}

/// One line: how many, and the gravest; empty without any.
pub(super) fn brief(run: &RunResult, style: Style) -> String {
    let (Some(count), all) = (count(run), all(run)) else {
        return String::new();
    };
    let gravest = all.iter().find(|(_, finding)| finding.weight == FindingWeight::Bad).or(all.first());
    let gravest = gravest.map(|(_, f)| format!(", such as {} {}: {}", f.check, f.subject, f.says));
    style.labelled("host", &format!("{count}{}; more: fathom doctor", gravest.unwrap_or_default()))
}
