//! `fathom suite tables`: runs of one suite side by side.

use crate::args::{OutputArgs, RUNS_DIR};
use crate::commands::output;
use crate::commands::report::title_without_page;
use crate::edge::Ready;
use crate::failure::{Exit, Failure};
use crate::place::OutputKind;
use crate::saved_result;
use clap::Args;
use fathom_procedures::suite::{RunColumn, SuiteTablesDocument};
use fathom_procedures::{SavedSuite, SideBySide, side_by_side};
use fathom_report::html::AboveTables;
use fathom_report::terminal::Style;
use fathom_results::procedure::{ProcedureResult, is_procedure};
use fathom_session::compared;
use fathom_session::outputs::InUse;
use fathom_text::shell::quoted;
use fathom_text::shown;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct SuiteTablesArgs {
    /// Runs of one suite, each a column: directories, ids, names, or bundles
    #[arg(required = true)]
    pub runs: Vec<PathBuf>,
    /// Print one JSON document (its schema: fathom schema suite-tables)
    #[arg(long)]
    pub json: bool,
    /// Title of the page; default: the title of the suite
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Directory that holds the directories of the runs
    #[arg(long, value_name = "DIR", default_value = RUNS_DIR)]
    pub runs_dir: PathBuf,
    /// Where the tables go. A name that ends in .html makes a page.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl SuiteTablesArgs {
    /// Is a page written?
    fn is_page(&self) -> bool {
        !self.json && self.output.names_page()
    }
}

pub fn tables(args: &SuiteTablesArgs) -> Result<Exit, Failure> {
    if args.title.is_some() && !args.is_page() {
        let hint = if args.json { "leave out --json, and add -o page.html" } else { "add -o page.html" };
        return Err(title_without_page().hint(hint));
    }
    let in_use = InUse::default();
    let place = args.output.place(OutputKind::Result, &in_use)?;
    let runs = args.runs.iter().map(|named| run(&args.runs_dir, named)).collect::<Result<Vec<_>, _>>()?;
    can_be_beside(&runs)?;
    let saved: Vec<_> =
        runs.iter().map(|run| SavedSuite { record: &run.record, steps: &run.steps }).collect();
    let found = side_by_side(&saved).map_err(|why| Failure::new(Exit::Usage, why).hint(OTHER_KINDS))?;
    let is_whole = runs.iter().all(|run| run.record.conclusion.is_some())
        && found.columns.iter().all(RunColumn::is_whole);
    let text = text(args, found, output::style(&place))?;
    place.write(&text)?;
    Ok(if is_whole { Exit::Ok } else { Exit::Incomplete })
}

/// What to do with what is no run of a suite.
const OTHER_KINDS: &str = "runs of other kinds beside each other: fathom compare OLD NEW";

fn text(args: &SuiteTablesArgs, found: SideBySide, style: Style) -> Result<Ready, Failure> {
    let SideBySide { tables, columns } = found;
    Ok(match () {
        () if args.json => Ready::document(&SuiteTablesDocument::of(columns, tables))?,
        () if args.is_page() => {
            let sentence = format!("{} runs of one suite side by side", columns.len()).into();
            let above = AboveTables { sentence, ..AboveTables::default() };
            Ready::text(&fathom_report::html::standard_page(&tables, args.title.as_deref(), above))
        }
        () => Ready::painted(&fathom_report::terminal::standard_tables(&tables, style)),
    })
}

/// Two runs or more, each of them once.
fn can_be_beside(runs: &[ProcedureResult]) -> Result<(), Failure> {
    if let [only] = runs {
        return Err(Failure::new(Exit::Usage, "one run was given, and tables side by side need two")
            .hint(format!("its own tables: fathom report {} --details", quoted(&only.dir))));
    }
    let is_twice = |(place, run): &(usize, &ProcedureResult)| {
        runs[..*place].iter().any(|other| other.record.id == run.record.id)
    };
    match runs.iter().enumerate().find(is_twice) {
        None => Ok(()),
        Some((_, run)) => {
            let message = format!("the run {} ({}) was given twice", run.record.id, run.record.name);
            Err(Failure::new(Exit::Usage, message)
                .hint("name each run once; to list the saved runs: fathom runs"))
        }
    }
}

/// A run with all its rounds.
fn run(runs_dir: &Path, named: &Path) -> Result<ProcedureResult, Failure> {
    let found = saved_result::readable(runs_dir, Some(named))?;
    let place = found.place();
    if !is_procedure(&found.dir) {
        let message = format!("{} is a single run, and not the run of a suite", shown::path(place));
        return Err(Failure::new(Exit::Usage, message).hint(OTHER_KINDS));
    }
    compared::undamaged(&found.dir, place)
}
