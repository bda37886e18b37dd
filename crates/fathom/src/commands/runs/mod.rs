//! `fathom runs`: the saved runs, the newest first.

mod document;
mod table;

use crate::args::RUNS_DIR;
use crate::edge::print_document;
use crate::failure::{Exit, Failure, print, say};
use crate::found::no_run_hints;
use crate::screen::Screen;
use crate::terminal::slow_look;
use clap::Args;
use fathom_session::runs::{ListSource, list};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct RunsArgs {
    /// Directory that holds the directories of the runs
    #[arg(long, value_name = "DIR", default_value = RUNS_DIR)]
    pub runs_dir: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Read every run again, and make the index (.fathom-index in the directory) again
    #[arg(long)]
    pub rebuild: bool,
}

/// Runs the command. Damaged runs are part of the list, and no reason to fail.
pub fn run(args: &RunsArgs) -> Result<Exit, Failure> {
    let dir = &args.runs_dir;
    let source = if args.rebuild { ListSource::Directories } else { ListSource::Index };
    let listed = slow_look().at(dir, || list(dir, source))?;
    listed.notes.iter().for_each(|note| say(&format!("note: {note}")));
    let text = match listed.runs.as_slice() {
        runs if args.json => return print_document(&document::of(dir, runs)).map(|()| Exit::Ok),
        [] => {
            print(&table::none(dir))?;
            no_run_hints().iter().for_each(|hint| say(&format!("  hint: {hint}")));
            return Ok(Exit::Ok);
        }
        runs => table::of(runs, Screen::stdout().columns),
    };
    print(&text).map(|()| Exit::Ok)
}
