//! What is not as the suite has it in runs side by side, and in what they differ.

use super::super::Suite;
use super::Column;
use super::said::Said;
use crate::pts::platform;
use crate::suite::SettledWithin;
use fathom_text::quantity::percent;

/// What is not as the suite has it, each with its runs; and in what the runs and their machines differ.
pub fn deviations(columns: &[Column<'_>]) -> Vec<String> {
    let mut said = Said::default();
    for column in columns {
        column.suite.deviations().into_iter().for_each(|text| said.say(&column.label, text));
        column.incomplete().into_iter().for_each(|text| said.say(&column.label, text));
    }
    let first = &columns[0];
    let differs = columns.iter().skip(1).flat_map(|column| {
        let of_machine = pairs(platform(column.record), &platform(first.record), "not known");
        let all =
            pairs(terms(&column.suite), &terms(&first.suite), "not given").into_iter().chain(of_machine);
        all.map(|(name, now, before)| {
            format!("{}: {name} is {now}, and it was {before} for {}.", column.label, first.label)
        })
    });
    said.lines(columns.len()).into_iter().chain(differs).collect()
}

impl Column<'_> {
    /// That it has not all steps of the suite.
    fn incomplete(&self) -> Option<String> {
        let how = match &self.record.conclusion {
            None => "It is not finished",
            Some(_) if self.steps_missing() > 0 => "It ended early",
            Some(_) => return None,
        };
        let all = self.suite.steps.steps.len();
        Some(match self.steps_missing() {
            0 => format!("{how}."),
            missing => format!("{how}: {missing} of {all} steps were not measured."),
        })
    }
}

/// Something by which runs can differ, and its value; `None` where it has none.
type Named<N> = (N, Option<String>);

/// What the runs have with different values: its name, its value, and that of the first run.
fn pairs<N: Into<String> + PartialEq>(
    now: Vec<Named<N>>,
    first: &[Named<N>],
    none: &str,
) -> Vec<(String, String, String)> {
    let told = |text: Option<String>| text.filter(|text| !text.is_empty()).unwrap_or_else(|| none.to_owned());
    let pair = |(name, now): Named<N>| {
        let before = first.iter().find(|(known, _)| *known == name).and_then(|(_, value)| value.clone());
        (before != now).then(|| (name.into(), told(now), told(before)))
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
