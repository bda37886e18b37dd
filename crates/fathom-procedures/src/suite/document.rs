//! What the commands of suites print as JSON.

use super::{BUILT_IN, SuiteKind, SuiteSpec};
use fathom_results::StandardReport;
use fathom_results::answer::Deviation;
use serde::Serialize;

/// Version of the documents. Added fields do not change it.
const FORMAT: u32 = 1;

/// The suites that fathom brings.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuitesDocument {
    /// Version of the document: 1. Added fields do not change it.
    pub format: u32,
    /// The suites, those of the guides first.
    pub suites: Vec<ListedSuite>,
}

/// A suite in the list.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListedSuite {
    /// Its name.
    pub name: String,
    /// What it measures.
    pub title: String,
    /// The document that it follows, or where its shape comes from.
    pub source: String,
    /// `guide`: it does what a document says; `shape`: it has the shape of an application's I/O, and is no result of that
    /// application's own benchmark; `own`: a person's own choice.
    pub kind: String,
    /// How many targets it takes.
    pub targets: String,
}

impl SuitesDocument {
    /// The suites of this fathom.
    ///
    /// # Errors
    /// What is wrong in one of them; a test reads all.
    pub fn of_this_fathom() -> Result<Self, String> {
        let suites = BUILT_IN.iter().map(|suite| Ok(ListedSuite::of(suite.name, &suite.file()?)));
        Ok(SuitesDocument { format: FORMAT, suites: suites.collect::<Result<_, String>>()? })
    }
}

impl ListedSuite {
    fn of(name: &str, file: &SuiteSpec) -> Self {
        let kind = match file.kind {
            SuiteKind::Guide => "guide",
            SuiteKind::Shape => "shape",
            SuiteKind::Own => "own",
        };
        ListedSuite {
            name: name.to_owned(),
            title: file.title.clone(),
            source: file.source.clone(),
            kind: kind.to_owned(),
            targets: file.devices.text(),
        }
    }
}

/// Runs of one suite side by side.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuiteTablesDocument {
    /// Version of the document: 1. Added fields do not change it.
    pub format: u32,
    /// The runs in the order of their columns: their ids.
    pub runs: Vec<String>,
    /// The same runs, and how much of the suite each has.
    pub columns: Vec<RunColumn>,
    /// For each group of the suite a table for each of its figures, with a column for each run. `deviations` has what is not as
    /// the suite has it, in what the runs differ, and why rounds are doubted; `remarks` of a test why its figures need care.
    pub tables: StandardReport,
}

/// A run beside others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunColumn {
    /// Its id.
    pub run: String,
    /// What the tables call it.
    pub label: String,
    /// Steps of the suite for its targets: preparations, waits and rounds.
    pub steps: usize,
    /// Steps of these that it does not have, because it is not finished or ended early.
    pub steps_missing: usize,
    /// Does it have a figure at all?
    pub has_figures: bool,
}

impl RunColumn {
    /// Has it all that the suite measures?
    pub fn is_whole(&self) -> bool {
        self.steps_missing == 0 && self.has_figures
    }
}

impl SuiteTablesDocument {
    /// Of these runs.
    pub fn of(columns: Vec<RunColumn>, tables: StandardReport) -> Self {
        let runs = columns.iter().map(|column| column.run.clone()).collect();
        SuiteTablesDocument { format: FORMAT, runs, columns, tables }
    }
}

/// What a suite would do on its targets.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuitePlanDocument {
    /// Version of the document: 1. Added fields do not change it.
    pub format: u32,
    /// Name of the suite.
    pub suite: String,
    /// The targets in their order.
    pub targets: Vec<String>,
    /// What is measured, in order.
    pub groups: Vec<PlannedGroup>,
    /// Rounds of all groups, and of fills.
    pub rounds: u32,
    /// Time of all jobs, ns; null where it cannot be known in advance.
    pub time_ns: Option<u64>,
    /// Bytes that all jobs write at most, also to lay out files; null where that depends on the speed of the target.
    pub written_bytes: Option<u64>,
    /// Of these, bytes that are written into files before jobs begin.
    pub laid_out_bytes: u64,
    /// The files that are laid out.
    pub laid_out: Vec<String>,
    /// What is not as the suite has it, one sentence each.
    pub deviations: Vec<Deviation>,
}

/// A group of cells in the plan.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlannedGroup {
    /// Its name.
    pub name: String,
    /// What it measures.
    pub what: String,
    /// Cells that differ.
    pub cells: usize,
    /// Rounds: cells times repeats.
    pub rounds: u32,
    /// Time of its jobs, ns; null where it cannot be known in advance.
    pub time_ns: Option<u64>,
    /// Is it in a table? Otherwise it is conditioning.
    pub is_measured: bool,
}

impl SuitePlanDocument {
    /// The document without groups.
    pub fn of(suite: &str, targets: Vec<String>, deviations: Vec<Deviation>) -> Self {
        SuitePlanDocument {
            format: FORMAT,
            suite: suite.to_owned(),
            targets,
            groups: Vec::new(),
            rounds: 0,
            time_ns: None,
            written_bytes: None,
            laid_out_bytes: 0,
            laid_out: Vec::new(),
            deviations,
        }
    }
}
