//! Runs of one suite side by side: a table for each figure, with a column for each run. A person measures one array after the other
//! on the same drives, and reads workload by RAID level (contract I-54 to I-56).

mod differ;
mod doubts;
mod label;
mod measured;
mod of_runs;

use super::Suite;
use super::charts::of_crossed;
use super::gathered;
use super::report::devices;
use super::tables::crossed;
use crate::History;
use crate::pts::platform;
use crate::suite::{CellGroup, RunColumn};
use fathom_results::procedure::{ProcedureRecord, StepRecord};
use fathom_results::{HeaderGroup, ReportHeadline, ReportPart, ReportTable, StandardReport, TestReport};
use fathom_text::calendar::Moment;
use label::{headings, labels};
use measured::MeasuredGroup;

/// A run of a suite, as it was saved.
#[derive(Clone, Copy, Debug)]
pub struct SavedSuite<'r> {
    /// Its record.
    pub record: &'r ProcedureRecord,
    /// Its steps.
    pub steps: &'r [StepRecord],
}

/// Runs of one suite side by side.
#[derive(Clone, Debug)]
pub struct SideBySide {
    /// The tables, and what to know before they are used.
    pub tables: StandardReport,
    /// The runs, in the order of their columns.
    pub columns: Vec<RunColumn>,
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
pub fn side_by_side<'r>(runs: &[SavedSuite<'r>]) -> Result<SideBySide, String> {
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
    is_one_suite(first, &columns)?;
    let tables = StandardReport {
        standard: format!("{} ({})", first.suite.file.title, first.suite.name),
        header: header(&columns),
        deviations: [differ::deviations(&columns), doubts::of_rounds(&columns)].concat(),
        tests: first.groups(&columns).map(|(place, group)| part(place, group, &columns)).collect(),
    };
    Ok(SideBySide { tables, columns: columns.iter().map(Column::run_column).collect() })
}

fn is_one_suite(first: &Column<'_>, columns: &[Column<'_>]) -> Result<(), String> {
    let differs = |column: &&Column<'_>| {
        (&column.suite.text, &column.suite.job_files) != (&first.suite.text, &first.suite.job_files)
    };
    let Some(other) = columns.iter().find(differs) else { return Ok(()) };
    let which = match other.suite.name == first.suite.name {
        true => {
            format!(
                "{} and {} are of two versions of the suite {}",
                first.label, other.label, first.suite.name
            )
        }
        false => format!(
            "{} is of the suite {}, and {} of {}",
            first.label, first.suite.name, other.label, other.suite.name
        ),
    };
    Err(format!("the runs are not of one suite: {which}"))
}

impl Column<'_> {
    /// The groups that any run has measured. All runs have the text of this one.
    fn groups<'c>(&'c self, all: &'c [Column<'_>]) -> impl Iterator<Item = (usize, &'c CellGroup)> {
        let is_measured = move |place: usize| {
            all.iter().any(|column| gathered::measured(&column.suite).any(|(other, _)| other == place))
        };
        self.suite.file.groups.iter().enumerate().filter(move |(place, _)| is_measured(*place))
    }

    /// Are the sets of targets columns? They are in a suite that measures each target with all groups.
    fn has_targets(&self) -> bool {
        self.suite.file.each_target && self.suite.terms.targets.len() > 1
    }

    /// Steps of the suite that it does not have.
    fn steps_missing(&self) -> usize {
        self.suite.steps.steps.len().saturating_sub(self.history.steps_that_hold())
    }

    fn run_column(&self) -> RunColumn {
        let is_figure = |round: &_| self.suite.is_measured(round) && round.failed().is_none();
        RunColumn {
            run: self.record.id.clone(),
            label: self.label.clone(),
            steps: self.suite.steps.steps.len(),
            steps_missing: self.steps_missing(),
            has_figures: self.history.rounds().any(is_figure),
        }
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

fn part(place: usize, group: &CellGroup, columns: &[Column<'_>]) -> TestReport {
    let all: Vec<MeasuredGroup<'_, '_>> =
        columns.iter().map(|column| MeasuredGroup::of(column, place)).collect();
    let headings = headings(&all);
    let table = |shown| {
        let mut fields = Vec::new();
        let mut before = 0;
        for one in &all {
            fields.extend(one.fields(group, shown, before));
            before += one.sets.len();
        }
        crossed(group, shown, &headings, &fields)
    };
    let tables: Vec<ReportTable> = group.values.iter().filter_map(|shown| table(*shown)).collect();
    let chart = tables.first().and_then(|table| of_crossed(table, "run"));
    let runs = all.iter().map(|one| one.best(group)).collect();
    TestReport {
        name: group.name.clone(),
        title: group.what.clone(),
        headline: ReportHeadline::OfRuns { metric: group.values[0].id().to_owned(), runs },
        remarks: doubts::of_group(group, &all),
        parts: tables.into_iter().map(ReportPart::Table).chain(chart).collect(),
        ..TestReport::default()
    }
}
