//! `fathom suite tables`: runs of one suite side by side.

use crate::args::{OutputArgs, RUNS_DIR};
use crate::commands::output;
use crate::edge::Ready;
use crate::failure::{Exit, Failure};
use crate::found;
use crate::place::OutputKind;
use clap::Args;
use fathom_results::procedure::ProcedureResult;
use fathom_session::outputs::InUse;
use fathom_session::procedure::saved_procedure;
use fathom_suites::procedure::{SavedSuite, side_by_side};
use fathom_suites::suite::SuiteTablesDocument;
use fathom_text::shell::quoted;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct SuiteTablesArgs {
    /// Runs of one suite, each a column: directories, ids, names, or bundles
    #[arg(required = true)]
    pub runs: Vec<PathBuf>,
    /// Print one JSON document (docs/schema/suite-tables.json)
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

pub fn tables(args: &SuiteTablesArgs) -> Result<Exit, Failure> {
    let in_use = InUse::default();
    let place = args.output.place(OutputKind::Result, &in_use)?;
    let runs = args.runs.iter().map(|named| run(&args.runs_dir, named)).collect::<Result<Vec<_>, _>>()?;
    if let [only] = runs.as_slice() {
        return Err(Failure::new(Exit::Usage, "one run was given, and tables side by side need two")
            .hint(format!("its own tables: fathom report {} --details", quoted(&only.dir))));
    }
    let saved: Vec<_> =
        runs.iter().map(|run| SavedSuite { record: &run.record, steps: &run.steps }).collect();
    let report = side_by_side(&saved).map_err(|why| {
        Failure::new(Exit::Usage, why).hint("runs of other kinds beside each other: fathom compare OLD NEW")
    })?;
    let text = match () {
        () if args.json => {
            let ids = runs.iter().map(|run| run.record.id.clone()).collect();
            Ready::document(&SuiteTablesDocument::of(ids, report))?
        }
        () if args.output.names_page() => {
            let said = format!("{} runs of one suite side by side", runs.len());
            Ready::text(&fathom_report::html::standard_page(&report, args.title.as_deref(), &said))
        }
        () => Ready::painted(&fathom_report::terminal::standard_tables(&report, output::style(&place))),
    };
    place.write(&text)?;
    let is_whole = runs.iter().all(|run| run.record.conclusion.is_some());
    Ok(if is_whole { Exit::Ok } else { Exit::Incomplete })
}

/// A run with all its rounds.
fn run(runs_dir: &Path, named: &Path) -> Result<ProcedureResult, Failure> {
    let found = found::readable(runs_dir, Some(named))?;
    let (saved, damage) = saved_procedure(&found.dir)?;
    match damage.first() {
        None => Ok(saved),
        Some(what) => {
            let said = format!("the tables of {} are not made: {what}", found.place().display());
            Err(Failure::new(Exit::Incomplete, said).hint("leave this run out"))
        }
    }
}
