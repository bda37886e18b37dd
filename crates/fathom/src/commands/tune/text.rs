//! Plans, records and findings as people read them.

use fathom_text::shell::quoted;
use fathom_text::shown;
use fathom_text::words::{counted, wrapped};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use fathom_tune::{ChangeState, PlannedChange, Record, TunePlan, Verified};

/// A plan: each change with why, risk and undo, then what was left out. `assumed` says that nobody
/// named the goal. A path is never broken, because a person copies it.
pub(super) fn plan(plan: &TunePlan, assumed: bool, columns: usize) -> String {
    let assumed = if assumed { " (--goal was not given)" } else { "" };
    let mut out = format!("Plan for {}{assumed}: {}.\n", plan.goal, counted(plan.lines.len(), "change"));
    let mut last = "";
    for line in &plan.lines {
        if line.knob != last {
            let head = format!("{}: {} (risk {})", line.knob, line.title(), line.risk);
            out.push('\n');
            indented(&mut out, &head, 0, columns);
            indented(&mut out, &line.why, 2, columns);
            last = &line.knob;
        }
        let change = format!("{}; undo: {}{}", line.change(), line.undo, despite(line));
        indented(&mut out, &line.path, 4, columns);
        indented(&mut out, &change, 6, columns);
    }
    if !plan.left.is_empty() {
        out.push_str("\nLeft alone:\n");
    }
    for left in &plan.left {
        indented(&mut out, &format!("{} {}", left.knob, left.path), 2, columns);
        indented(&mut out, &left.reason, 6, columns);
    }
    let _ = write!(out, "\nhash {}\n", shown::line(&plan.hash));
    out
}

/// Text in lines of so many columns, each after so many spaces.
fn indented(out: &mut String, text: &str, spaces: usize, columns: usize) {
    let lines = wrapped(&shown::line(text), columns.saturating_sub(spaces));
    lines.iter().for_each(|line| *out += &format!("{:spaces$}{line}\n", ""));
}

/// The command that puts a plan in force. It names the knobs that must be named.
pub(super) fn command(plan: &TunePlan, path: &Path) -> String {
    let named = plan.lines.iter().filter(|line| line.risk.must_be_named()).map(|line| line.knob.as_str());
    let named: BTreeSet<&str> = named.collect();
    let named: String = named.into_iter().map(|knob| format!(" --knob {}", quoted(knob))).collect();
    format!("fathom tune apply {} --yes{named}", quoted(path))
}

fn despite(line: &PlannedChange) -> String {
    line.despite.as_ref().map_or_else(String::new, |owner| format!(" (although {owner} sets it)"))
}

/// One line for each change, with what became of it.
pub(super) fn records<'a>(records: impl IntoIterator<Item = &'a Record>) -> String {
    let mut out = String::new();
    for record in records {
        let codec = record.setting.codec;
        let (before, now) = (codec.describe(&record.before_typed), codec.describe(record.in_force()));
        let note = record.note.as_ref().map_or_else(String::new, |note| format!("; {note}"));
        let text = format!(
            "{:<12} {:<20} {} (before {before}, ours {now}){note}",
            record.state, record.id, record.path
        );
        let _ = writeln!(out, "  {}", shown::line(&text));
    }
    out
}

/// One line for each finding.
pub(super) fn findings(findings: &[Verified]) -> String {
    let mut out = String::new();
    for found in findings {
        let sentence = match &found.finding {
            ChangeState::Holds => format!("holds        {} is {}", found.path, found.ours),
            ChangeState::Drifted { now } => {
                format!("drifted      {} is {now}, was made {}", found.path, found.ours)
            }
            ChangeState::Gone { reason } => format!("gone         {}: {reason}", found.path),
            ChangeState::Unknown { reason } => format!("unknown      {}: {reason}", found.path),
        };
        let _ = writeln!(out, "  {} ({})", shown::line(&sentence), shown::line(&found.id));
    }
    out
}
