//! `fathom runs`: the saved runs, the newest first.

mod table;
mod when;

use crate::args::{RUNS_DIR, carried};
use crate::edge::{print_document, print_page};
use crate::failure::{Exit, Failure, print, say};
use crate::saved_result::no_run_hints;
use crate::screen::Screen;
use crate::terminal::slow_look;
use clap::Args;
use fathom_session::runs::{
    ListSource, RunFilter, RunIndex, RunList, RunState, RunsDocument, SavedRun, StateFilter, UnreadableState,
    list, list_all,
};
use std::path::PathBuf;

/// What `--help` says after the arguments.
const HELP: &str = "\
With several filters, a run must fit every filter. Dates are in UTC. Every command that takes a run takes its directory, \
its id or the beginning of that, its name, or `latest`; a run that is not in fathom-runs is looked for in every directory in \
which runs were saved. An index remembers these directories: runs.jsonl in ~/.local/state/fathom, for root in /var/lib/fathom, \
or the file that FATHOM_INDEX names. It can be deleted without harm.";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct RunsArgs {
    /// Directory that holds the directories of the runs
    #[arg(long, value_name = "DIR", default_value = RUNS_DIR)]
    pub runs_dir: PathBuf,
    /// List the runs of every directory in which runs were saved
    #[arg(long)]
    pub all: bool,
    /// Only runs that measured this: a device, a file, or a part of a model or serial number
    #[arg(long, value_name = "DEVICE", value_parser = carried())]
    pub device: Option<String>,
    /// Only runs with this text in their name
    #[arg(long, value_name = "TEXT", value_parser = carried())]
    pub name: Option<String>,
    /// Only runs with this tag; with several, only runs that have every tag
    #[arg(long, value_name = "WORD", value_parser = carried())]
    pub tag: Vec<String>,
    /// Only runs that began on this date or later, or within this span: 2026-11-23, 7d, 12h
    #[arg(long, value_name = "WHEN", value_parser = when::since)]
    pub since: Option<u64>,
    /// Only runs that began on this date or earlier, or longer ago than this span
    #[arg(long, value_name = "WHEN", value_parser = when::until)]
    pub until: Option<u64>,
    /// Only runs in this state; several may be joined by commas
    #[arg(long, value_name = "STATE", value_delimiter = ',')]
    pub state: Vec<ShownState>,
    /// At most this many
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub limit: Option<u32>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Read every run again, and make the index of runs again
    #[arg(long)]
    pub rebuild: bool,
}

/// States of a run, as a word each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ShownState {
    /// Every job ended by its own rule
    Complete,
    /// It ended before that, and was saved
    Incomplete,
    /// A job failed; what was measured until then was saved
    Failed,
    /// It still runs, or was killed
    Unfinished,
    /// A procedure that runs
    Running,
    /// A procedure that `fathom resume` can go on with
    Resumable,
    /// Its record is missing, cut, or not as it was saved
    Damaged,
    /// A limit of open files or memory, or a missing right, keeps it from being read
    Unread,
}

impl ShownState {
    fn filter(self) -> StateFilter {
        StateFilter::Is(match self {
            ShownState::Damaged => return StateFilter::Not(UnreadableState::Damaged),
            ShownState::Unread => return StateFilter::Not(UnreadableState::Unread),
            ShownState::Complete => RunState::Complete,
            ShownState::Incomplete => RunState::Incomplete,
            ShownState::Failed => RunState::Failed,
            ShownState::Unfinished => RunState::Unfinished,
            ShownState::Running => RunState::Running,
            ShownState::Resumable => RunState::Resumable,
        })
    }
}

/// Runs the command. Damaged runs are part of the list, and no reason to fail.
pub fn run(args: &RunsArgs) -> Result<Exit, Failure> {
    let listed = listed(args)?;
    listed.notes.iter().for_each(|note| say(&format!("note: {note}")));
    let filter = args.filter();
    let shown: Vec<&SavedRun> =
        filter.shown(&listed.runs).take(args.limit.map_or(usize::MAX, |most| most as usize)).collect();
    if args.json {
        return print_document(&RunsDocument::of(&args.runs_dir, &shown)).map(|()| Exit::Ok);
    }
    let text = match (listed.runs.is_empty(), shown.is_empty()) {
        (true, _) => {
            print(&if args.all { table::NONE_AT_ALL.to_owned() } else { table::none(&args.runs_dir) })?;
            no_run_hints().iter().for_each(|hint| say(&format!("  hint: {hint}")));
            return Ok(Exit::Ok);
        }
        (false, true) => table::none_fits(listed.runs.len()),
        _ => table::of(&shown, table::id_chars(&listed.runs), Screen::stdout().columns),
    };
    print_page(&text).map(|()| Exit::Ok)
}

fn listed(args: &RunsArgs) -> Result<RunList, Failure> {
    let (dir, index) = (&args.runs_dir, RunIndex::usual());
    let source = if args.rebuild { ListSource::Directories } else { ListSource::Index };
    slow_look().at(dir, || match args.all {
        true => list_all(dir, source, &index),
        false => list(dir, source, &index),
    })
}

impl RunsArgs {
    fn filter(&self) -> RunFilter {
        RunFilter {
            device: self.device.clone(),
            name: self.name.clone(),
            tags: self.tag.clone(),
            since_unix_ns: self.since,
            until_unix_ns: self.until,
            states: self.state.iter().map(|state| state.filter()).collect(),
        }
    }
}
