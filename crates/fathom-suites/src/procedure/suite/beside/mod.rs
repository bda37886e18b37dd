//! Runs of one suite side by side: a table for each figure, with a column for each run. A person measures one array after the other
//! on the same drives, and reads workload by RAID level (contract I-54 to I-56).

use super::Suite;
use super::gathered::{CellRow, best, measured, rows};
use super::report::devices;
use super::tables::{Field, crossed, has_sets, set_of, targets_named, workload};
use crate::procedure::History;
use crate::procedure::pts::platform;
use crate::suite::{CellGroup, Shown};
use fathom_results::procedure::{ProcedureRecord, StepRecord};
use fathom_results::{HeaderGroup, ReportPart, StandardReport, TestReport};
use fathom_text::calendar::Moment;
use fathom_text::words::counted;

/// A run of a suite, as it was saved.
#[derive(Clone, Copy, Debug)]
pub struct SavedSuite<'r> {
    /// Its record.
    pub record: &'r ProcedureRecord,
    /// Its steps.
    pub steps: &'r [StepRecord],
}

/// A run, as it is read for the tables.
struct Column<'r> {
    label: String,
    suite: Suite,
    record: &'r ProcedureRecord,
    history: History<'r>,
}

/// The tables of runs of one suite.
///
/// # Errors
/// One sentence: a run is not of a suite, or they are of different suites.
pub fn side_by_side<'r>(runs: &[SavedSuite<'r>]) -> Result<StandardReport, String> {
    let suites: Vec<Suite> = runs.iter().map(|run| Suite::saved(run.record)).collect::<Result<_, _>>()?;
    let labels = labels(runs, &suites);
    let column = |((run, suite), label): ((&SavedSuite<'r>, Suite), String)| Column {
        label,
        suite,
        record: run.record,
        history: History::new(run.steps),
    };
    let columns: Vec<Column<'_>> = runs.iter().zip(suites).zip(labels).map(column).collect();
    let first = columns.first().ok_or("no run was given")?;
    if let Some(other) = columns.iter().find(|column| column.suite.text != first.suite.text) {
        let which = match other.suite.name == first.suite.name {
            true => format!(
                "{} and {} are of two versions of the suite {}",
                first.label, other.label, first.suite.name
            ),
            false => format!(
                "{} is of the suite {}, and {} of {}",
                first.label, first.suite.name, other.label, other.suite.name
            ),
        };
        return Err(format!("the runs are not of one suite: {which}"));
    }
    Ok(StandardReport {
        standard: format!("{} ({})", first.suite.file.title, first.suite.name),
        header: header(&columns),
        deviations: deviations(&columns),
        tests: first.groups(&columns).map(|(place, group)| part(place, group, &columns)).collect(),
    })
}

/// The name that a person gave; else the targets; the id, too, where that does not tell them apart.
fn labels(runs: &[SavedSuite<'_>], suites: &[Suite]) -> Vec<String> {
    let usual = |(run, suite): (&SavedSuite<'_>, &Suite)| match run.record.name == suite.name {
        false => run.record.name.clone(),
        true => {
            let paths: Vec<&str> = suite.terms.targets.iter().map(|target| target.path.as_str()).collect();
            paths.iter().map(|path| path.trim_start_matches("/dev/")).collect::<Vec<_>>().join("+")
        }
    };
    let all: Vec<String> = runs.iter().zip(suites).map(usual).collect();
    let is_twice = |label: &String| all.iter().filter(|other| *other == label).count() > 1;
    let told = |(label, run): (&String, &SavedSuite<'_>)| match is_twice(label) {
        true => format!("{label} {}", run.record.id),
        false => label.clone(),
    };
    all.iter().zip(runs).map(told).collect()
}

impl Column<'_> {
    /// The groups that any run has measured. All runs have the text of this one.
    fn groups<'c>(&'c self, all: &'c [Column<'_>]) -> impl Iterator<Item = (usize, &'c CellGroup)> {
        let is_measured = move |place: usize| {
            all.iter().any(|column| measured(&column.suite).any(|(other, _)| other == place))
        };
        self.suite.file.groups.iter().enumerate().filter(move |(place, _)| is_measured(*place))
    }

    /// Are the sets of targets columns? They are in a suite that measures each target with all groups.
    fn has_targets(&self) -> bool {
        self.suite.file.each_target && self.suite.terms.targets.len() > 1
    }
}

fn header(columns: &[Column<'_>]) -> Vec<HeaderGroup> {
    let group =
        |title: &str, entries: Vec<(String, String)>| HeaderGroup { title: title.to_owned(), entries };
    let run = |column: &Column<'_>| {
        let began = Moment::of_unix_ns(column.record.started_unix_ns);
        (column.label.clone(), format!("{}, began {began}", column.record.id))
    };
    let suite = &columns[0].suite;
    let about = [("Suite", &suite.name), ("Source", &suite.file.source)];
    let about = about.map(|(name, text)| (name.to_owned(), text.clone()));
    let each = columns.iter().flat_map(|column| {
        let of_one = devices(&column.suite, column.record).into_iter();
        of_one.filter_map(|(name, told)| Some((format!("{}: {name}", column.label), told?)))
    });
    let machine =
        platform(columns[0].record).into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?)));
    vec![
        group("Test", about.into_iter().chain(columns.iter().map(run)).collect()),
        group("Test platform", machine.collect()),
        group("Device under test", each.collect()),
    ]
}

/// What is not as the suite has it, each with its runs; and in what the machines differ.
fn deviations(columns: &[Column<'_>]) -> Vec<String> {
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    let mut say = |text: String, label| match said.iter_mut().find(|(known, _)| *known == text) {
        Some((_, labels)) => labels.push(label),
        None => said.push((text, vec![label])),
    };
    for column in columns {
        column.suite.deviations().into_iter().for_each(|text| say(text, column.label.as_str()));
        if column.record.conclusion.is_none() {
            say("It is not finished.".to_owned(), &column.label);
        }
    }
    let of = |(text, labels): (String, Vec<&str>)| match labels.len() == columns.len() {
        true => text,
        false => format!("{}: {text}", labels.join(", ")),
    };
    let others = columns.iter().skip(1);
    let differs = others.flat_map(|column| other_machine(column, &columns[0]));
    said.into_iter().map(of).chain(differs).collect()
}

/// In what the machine of a run is not that of the first.
fn other_machine(column: &Column<'_>, first: &Column<'_>) -> Vec<String> {
    let known = |text: &Option<String>| text.clone().unwrap_or_else(|| "not known".to_owned());
    let both = platform(column.record).into_iter().zip(platform(first.record));
    let differs = both.filter(|(one, other)| one.1 != other.1);
    differs
        .map(|((name, now), (_, before))| {
            let (label, of_first) = (&column.label, &first.label);
            format!("{label}: {name} is {}, and it was {} for {of_first}.", known(&now), known(&before))
        })
        .collect()
}

/// A group in a run.
struct Measured<'c, 'r> {
    column: &'c Column<'r>,
    rows: Vec<CellRow<'c>>,
}

impl Measured<'_, '_> {
    /// A figure of each of its rows, with its place in the table.
    fn fields(&self, group: &CellGroup, shown: Shown) -> Vec<Field> {
        let column = self.column;
        let targets: Vec<String> =
            column.suite.terms.targets.iter().map(|target| target.path.clone()).collect();
        let names_sets = !column.has_targets() && has_sets(&self.rows);
        let field = |row: &CellRow<'_>| Field {
            line: workload(group, row, None, names_sets),
            column: match column.has_targets() {
                true => format!("{} {}", column.label, targets_named(&set_of(row), &targets)),
                false => column.label.clone(),
            },
            mean: row.mean(shown),
        };
        self.rows.iter().map(field).collect()
    }

    /// Its best row by the first figure.
    fn best(&self, group: &CellGroup) -> String {
        let found = best(group, &self.rows).map(|(_, mean)| mean.told(group.values[0]));
        format!("{} {}", self.column.label, found.unwrap_or_else(|| "without a figure".to_owned()))
    }

    /// That something of it failed.
    fn failed(&self) -> Option<String> {
        let cells = self.rows.iter().filter(|row| row.failed > 0).count();
        let told = || counted(cells as u64, "cell");
        (cells > 0)
            .then(|| format!("{}: rounds of {} failed, and are in no figure.", self.column.label, told()))
    }
}

fn part(place: usize, group: &CellGroup, columns: &[Column<'_>]) -> TestReport {
    let of_column = |column| Measured { column, rows: rows(&column.suite, place, &column.history) };
    let all: Vec<Measured<'_, '_>> = columns.iter().map(of_column).collect();
    let fields = |shown| all.iter().flat_map(|one| one.fields(group, shown)).collect::<Vec<_>>();
    let table = |shown: &Shown| crossed(group, *shown, &fields(*shown)).map(ReportPart::Table);
    let word = if group.values[0].is_better_low() { "Least" } else { "Most" };
    let bests: Vec<String> = all.iter().map(|one| one.best(group)).collect();
    TestReport {
        name: group.name.clone(),
        title: group.what.clone(),
        headline: format!("{word} {}: {}.", group.values[0].title(), bests.join("; ")),
        remarks: all.iter().filter_map(Measured::failed).collect(),
        parts: group.values.iter().filter_map(table).collect(),
        ..TestReport::default()
    }
}
