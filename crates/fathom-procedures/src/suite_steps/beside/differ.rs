//! What is not as the suite has it in runs side by side, and in what they differ.

use super::super::Suite;
use super::Column;
use super::of_runs::OfRuns;
use crate::pts::platform;
use crate::suite::SettledWithin;
use fathom_results::answer::{Deviation, ReportDeviation};
use fathom_text::quantity::percent;

/// What is not as the suite has it, each with its runs; and in what the runs and their machines differ.
pub fn deviations(columns: &[Column<'_>]) -> Vec<ReportDeviation> {
    let mut all = OfRuns::default();
    for column in columns {
        let own = column.suite.deviations().into_iter().chain(column.incomplete());
        own.for_each(|deviation| all.add(&column.label, deviation));
    }
    let labelled = all.labelled(columns.len()).map(|(what, runs)| ReportDeviation { what, of_runs: runs });
    let first = &columns[0];
    let differs = columns.iter().skip(1).flat_map(|column| {
        let of_machine = pairs(platform(column.record), &platform(first.record));
        let of_machine = of_machine.into_iter().map(|pair| (pair, false));
        let of_terms = pairs(terms(&column.suite), &terms(&first.suite)).into_iter().map(|pair| (pair, true));
        of_terms.chain(of_machine).map(|((what, now, before), is_given)| {
            let (run, first) = (column.label.clone(), first.label.clone());
            Deviation::RunsDiffer { run, what, now, before, first, is_given }.into()
        })
    });
    labelled.chain(differs).collect()
}

impl Column<'_> {
    /// That it has not all steps of the suite.
    fn incomplete(&self) -> Option<Deviation> {
        let (missing, of) = (self.steps_missing() as u64, self.suite.steps.steps.len() as u64);
        match &self.record.conclusion {
            None => Some(Deviation::Unfinished { ended_early: false, missing, of }),
            Some(_) => (missing > 0).then_some(Deviation::Unfinished { ended_early: true, missing, of }),
        }
    }
}

/// Something by which runs can differ, and its value; `None` where it has none.
type Named<N> = (N, Option<String>);

/// What differs, its value in a run, and that in the first run.
type Pair = (String, Option<String>, Option<String>);

/// What the runs have with different values.
fn pairs<N: Into<String> + PartialEq>(now: Vec<Named<N>>, first: &[Named<N>]) -> Vec<Pair> {
    let pair = |(name, now): Named<N>| {
        let before = first.iter().find(|(known, _)| *known == name).and_then(|(_, value)| value.clone());
        let known = |value: Option<String>| value.filter(|value| !value.is_empty());
        (before != now).then(|| (name.into(), known(now), known(before)))
    };
    now.into_iter().filter_map(pair).collect()
}

/// What the command line and the machine decide about what is measured: the variables, `--repeat` and `--until`.
fn terms(suite: &Suite) -> Vec<Named<String>> {
    let until =
        suite.terms.until.map(SettledWithin::value).map(|share| format!("confident={}", percent(share)));
    let repeat = suite.terms.repeat.map(|times| times.to_string());
    let own = [("repeat".to_owned(), repeat), ("until".to_owned(), until)];
    variables(suite).into_iter().chain(own).collect()
}

/// Each variable of the suite with the value that it had.
fn variables(suite: &Suite) -> Vec<Named<String>> {
    let given = |name: &str| {
        let found = suite.terms.variables.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone())
    };
    let of_suite = suite.file.variables.iter();
    let of_suite = of_suite.map(|(name, usual)| (name.clone(), given(name).or_else(|| Some(usual.clone()))));
    // Those that only the machine knows, such as the engine, count where a job has them.
    let uses = |name: &str| {
        let word = format!("${{{name}}}");
        suite.text.contains(&word) || suite.job_files.iter().any(|(_, text)| text.contains(&word))
    };
    let is_of_machine =
        |(name, _): &&(String, String)| !suite.file.variables.contains_key(name) && uses(name);
    let of_machine = suite.terms.variables.iter().filter(is_of_machine);
    of_suite.chain(of_machine.map(|(name, value)| (name.clone(), Some(value.clone())))).collect()
}
