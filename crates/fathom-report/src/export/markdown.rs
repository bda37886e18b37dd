//! Markdown, for a comment on a change: the answer, and a table of the jobs.

use super::{CaseOutcome, Exported, ExportedFigure};
use crate::column;
use fathom_figures::metric::Metric;
use fathom_text::calendar::Moment;
use fathom_text::quantity::TimeUnit;
use fathom_text::shown;
use std::fmt::Write;

pub(super) fn text(result: &Exported) -> String {
    let mut out = format!("### {}\n\n", escaped(&result.name));
    for (part, sentence) in &result.answer {
        let _ = writeln!(out, "- **{part}**: {}", escaped(sentence));
    }
    for case in &result.cases {
        if let CaseOutcome::Error(why) = &case.outcome {
            let _ = writeln!(out, "- **{}**: {}", escaped(&case.name), escaped(why));
        }
    }
    if let [heads, lines @ ..] = result.table.as_slice() {
        let rule = vec!["---:".to_owned(); heads.len().saturating_sub(1)];
        let rule = [vec!["---".to_owned()], rule].concat().join("|");
        let _ = write!(out, "\n{}|{rule}|\n", line(heads));
        lines.iter().for_each(|cells| out += &line(cells));
    }
    let started =
        result.started_unix_ns.map(|ns| format!(", {}", Moment::of_unix_ns(ns))).unwrap_or_default();
    let id = if result.id.is_empty() { String::new() } else { format!(" `{}`", result.id) };
    let _ = writeln!(out, "\n{}{id}{started}", escaped(&result.kind));
    out
}

fn line(cells: &[String]) -> String {
    let cells: String = cells.iter().map(|cell| format!(" {} |", escaped(cell))).collect();
    format!("|{cells}\n")
}

/// The heads, and a line for each job and direction that has one of the columns.
pub(super) fn table(figures: &[ExportedFigure], columns: &[&'static Metric]) -> Vec<Vec<String>> {
    let of_line = |it: &ExportedFigure| (it.round.clone(), it.of.job_number, it.of.direction.clone());
    let is_of_line = |one: &ExportedFigure, other: &ExportedFigure| of_line(one) == of_line(other);
    let lines: Vec<&[ExportedFigure]> = figures.chunk_by(is_of_line).filter(|line| has_rate(line)).collect();
    let has_it = |metric: &&&'static Metric| lines.iter().any(|line| value(line, metric).is_some());
    let columns: Vec<&Metric> = columns.iter().filter(has_it).copied().collect();
    if columns.is_empty() {
        return Vec::new();
    }
    let mean = fathom_figures::metric::of_id("latency_mean");
    let unit = TimeUnit::for_fastest(lines.iter().filter_map(|line| value(line, mean)));
    let has_rounds = lines.iter().any(|line| !line[0].round.is_empty());
    let heads = columns.iter().map(|metric| column::heading(metric, unit));
    let first = if has_rounds { vec!["round".to_owned()] } else { Vec::new() };
    let mut table = vec![first.into_iter().chain(["job".to_owned()]).chain(heads).collect()];
    for line in lines {
        let ExportedFigure { round, cell, of } = &line[0];
        let round = has_rounds.then(|| format!("{round} {cell}").trim_end().to_owned());
        let direction = if of.direction == "all" { "" } else { &of.direction };
        let job = format!("{} {direction}", of.job).trim_end().to_owned();
        let cells = columns.iter().map(|metric| column::value(metric, value(line, metric), unit));
        table.push(round.into_iter().chain([job]).chain(cells).collect());
    }
    table
}

fn value(line: &[ExportedFigure], metric: &Metric) -> Option<f64> {
    line.iter().find(|figure| figure.of.metric == metric.id).map(|figure| figure.of.value)
}

/// Figures that the directions of a job share are in no line of the table.
fn has_rate(line: &[ExportedFigure]) -> bool {
    line.iter().any(|figure| figure.of.metric == "iops")
}

/// Text that Markdown shows as it is.
fn escaped(text: &str) -> String {
    const MARKS: &[char] = &['\\', '`', '*', '_', '<', '>', '|', '[', ']', '#', '&', '~'];
    let mut out = String::with_capacity(text.len());
    for c in shown::line(text).chars() {
        if MARKS.contains(&c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
