//! The table of docs/measurement.md: how often each taint was a false alarm, and how often it was missed.

use super::verdict::{Judged, NOT_JUDGED};
use crate::bench::intervals::Table;
use fathom_suites::taint::RULES;

/// A row for each taint that some run must have, and for those that none must have.
pub fn of(all: &[Judged]) -> Table {
    let headings =
        ["taint", "runs that must not have it", "false alarms", "runs that must have it", "missed"];
    let rules = RULES.iter().filter(|rule| !NOT_JUDGED.contains(&rule.code));
    Table {
        headings: headings.map(str::to_owned).to_vec(),
        rows: rules.map(|rule| (rule.code.to_owned(), cells(all, rule.code))).collect(),
    }
}

fn cells(all: &[Judged], code: &str) -> Vec<String> {
    let is_in = |codes: &[String]| codes.iter().any(|one| one == code);
    let must = || all.iter().filter(|run| is_in(&run.must));
    let must_not = || all.iter().filter(|run| !is_in(&run.must) && !is_in(&run.may));
    let counts = [
        must_not().count(),
        must_not().filter(|run| is_in(&run.wrong)).count(),
        must().count(),
        must().filter(|run| is_in(&run.missed)).count(),
    ];
    counts.map(|count| count.to_string()).to_vec()
}
