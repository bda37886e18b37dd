//! The machine's part in the figures: findings of the doctor, and the way from
//! the targets to the processors as a picture.

use super::markup::{escape, folded, image_uri, more};
use crate::host_findings::{When, all, word};
use fathom_results::{FindingWeight, HostFinding, RunResult};

/// Findings in the table; the rest is counted.
const LINES_MAX: usize = 40;
/// Most characters that are shown of what was read.
const RAW_MAX: usize = 80;

/// The section; empty where nothing was found and nothing drawn.
pub(super) fn section(run: &RunResult) -> String {
    folded("Findings about the host", &(findings(run) + &picture(run)))
}

fn findings(run: &RunResult) -> String {
    let all = all(run);
    if all.is_empty() {
        return String::new();
    }
    let lines: String = all.iter().take(LINES_MAX).map(|(when, finding)| line(*when, finding)).collect();
    let more = more(all.len().saturating_sub(LINES_MAX), "record");
    format!(
        "<div class=\"wide\" tabindex=\"0\">\n<table class=\"pairs\">\n<thead><tr><th scope=\"col\">check</th><th scope=\"col\">finding</th><th scope=\"col\">read from</th></tr></thead>\n<tbody>\n{lines}</tbody>\n</table>\n</div>\n{more}<p class=\"note\">Each is explained by <code>fathom doctor --explain CHECK</code>.</p>\n"
    )
}

fn line(when: When, finding: &HostFinding) -> String {
    let badge = match finding.weight {
        FindingWeight::Bad => format!("<span class=\"badge bad\">{}</span>", word(finding.weight)),
        FindingWeight::Warn => format!("<span class=\"unknown\">{}</span>", word(finding.weight)),
    };
    format!(
        "<tr><th scope=\"row\">{}</th><td>{badge} {}: {} <span class=\"source\">({})</span></td><td class=\"source\">{}: {}</td></tr>\n",
        escape(&finding.check),
        escape(&finding.subject),
        escape(&finding.says),
        when.words(),
        escape(&finding.path),
        escape(&beginning(&finding.raw))
    )
}

/// The record has the rest: a line of a table such as /proc/PID/stat would
/// push the finding itself out of sight.
fn beginning(raw: &str) -> String {
    let first = raw.lines().next().unwrap_or_default();
    let cut: String = first.chars().take(RAW_MAX).collect();
    if cut.len() < raw.trim_end().len() { cut + " …" } else { cut }
}

/// As an image, so that nothing in the drawing can act on the page.
fn picture(run: &RunResult) -> String {
    let Some(svg) = &run.topology_svg else {
        return String::new();
    };
    format!(
        "<figure>\n<img alt=\"Connection from the disks to the CPUs, with needed and available bandwidth\" src=\"{}\">\n</figure>\n",
        image_uri(svg)
    )
}
