//! The rules of published texts, each with what was measured.

use super::Suite;
use super::gathered::{measured, row_name, rows};
use crate::History;
use crate::suite::Rule;
use fathom_results::answer::JudgedRule;

/// A rule beside what was measured.
pub struct Judged<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// What was measured, and whether it passes.
    pub result: JudgedRule,
}

/// All rules of the suite.
pub fn judged<'a>(suite: &'a Suite, history: &History<'a>) -> Vec<Judged<'a>> {
    let mut all = Vec::new();
    for (place, group) in measured(suite) {
        for rule in &group.rules {
            for row in rows(suite, place, history) {
                let name = if row.job.is_empty() { job_of(group.job.as_str()) } else { row.job_name() };
                if name == rule.job {
                    let which = row_name(&row, group);
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
    let base = |value: f64| rule.figure.in_base_unit(value);
    let result = JudgedRule {
        cell: which.to_owned(),
        metric: rule.figure.id().to_owned(),
        value: value.map(base),
        passes: value.map(|value| rule.passes(value)),
        at_most: rule.at_most.map(base),
        at_least: rule.at_least.map(base),
        source: rule.source.clone(),
    };
    Judged { rule, result }
}

/// The name of the only job in a job text.
fn job_of(text: &str) -> &str {
    let sections = text.lines().filter_map(|line| line.trim().strip_prefix('[')?.strip_suffix(']'));
    sections.into_iter().find(|name| *name != "global").unwrap_or_default()
}
