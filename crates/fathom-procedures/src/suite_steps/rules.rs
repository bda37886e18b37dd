//! The rules of published texts, each with what was measured.

use super::Suite;
use super::gathered::{measured, rows, told};
use crate::History;
use crate::suite::Rule;

/// A rule beside what was measured.
pub struct Judged<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// What was measured, and whether it passes; `None` where the job has no such figure.
    pub passes: Option<bool>,
    /// The same in a sentence.
    pub says: String,
}

/// All rules of the suite.
pub fn judged<'a>(suite: &'a Suite, history: &History<'a>) -> Vec<Judged<'a>> {
    let mut all = Vec::new();
    for (place, group) in measured(suite) {
        for rule in &group.rules {
            for row in rows(suite, place, history) {
                let name = if row.job.is_empty() { job_of(group.job.as_str()) } else { row.job_name() };
                if name == rule.job {
                    let which = told(&row, group);
                    let which =
                        if which.is_empty() { group.name.clone() } else { format!("{} {which}", group.name) };
                    all.push(of_row(rule, &which, row.mean(rule.figure).map(|mean| mean.value)));
                }
            }
        }
    }
    all
}

fn of_row<'a>(rule: &'a Rule, which: &str, value: Option<f64>) -> Judged<'a> {
    let passes = value.map(|value| rule.passes(value));
    let (limit, source) = (rule.limit(), &rule.source);
    let found = value.map(|value| format!("{}{}", rule.figure.word(), rule.figure.told(value)));
    let says = match (passes, found) {
        (Some(true), Some(found)) => format!("{which}: {found} passes ({limit}: {source})."),
        (Some(false), Some(found)) => format!("{which}: {found} does NOT pass ({limit}: {source})."),
        _ => {
            let title = rule.figure.title();
            format!("{which}: no {title} was measured, so it is not judged ({limit}: {source}).")
        }
    };
    Judged { rule, passes, says }
}

/// The name of the only job in a job text.
fn job_of(text: &str) -> &str {
    let sections = text.lines().filter_map(|line| line.trim().strip_prefix('[')?.strip_suffix(']'));
    sections.into_iter().find(|name| *name != "global").unwrap_or_default()
}
