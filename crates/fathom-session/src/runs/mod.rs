//! The list of saved runs, and how one of them is found.
//!
//! The directories are the truth. What a list needs of each `run.json` is kept in the index
//! (`index.rs`), because ten thousand records have gigabytes. A list reads the names in a
//! directory and looks at each `run.json`; it opens only those that the index does not know as they
//! are now. Without an index that can be used the list is the same, and takes longer.
//!
//! The seal of a run is not checked here: that takes its whole directory, and `report` does it.

mod document;
mod find;
mod head;
mod index;
mod kept;
mod open_index;
mod procedure_head;
mod rows;
mod saved_run;
#[cfg(test)]
mod tests;

pub use document::{ListedRun, ReadableRun, RunsDocument, UnreadableRun};
pub use find::{LATEST, RunFilter, StateFilter, named, newest, newest_result, newest_unfinished, procedures};
pub use head::{RunHead, RunState};
pub use index::RunIndex;
pub(crate) use index::register;
pub use saved_run::{SavedRun, Unreadable, UnreadableState};

use crate::exit::{Exit, Failure};
use fathom_text::words::counted_as;
use open_index::OpenIndex;
use saved_run::Listed;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The runs of one directory, or of several.
#[derive(Debug, Default)]
pub struct RunList {
    /// The runs, the newest first.
    pub runs: Vec<SavedRun>,
    /// How many runs were read from their directories. All others are known from the index.
    pub records_read: usize,
    /// What a person should know about the index, one sentence each.
    pub notes: Vec<String>,
}

/// Where a list takes what it knows already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListSource {
    /// From the index, as far as it is right.
    Index,
    /// From the directories alone. The index is made again.
    Directories,
}

/// What a list would show of this directory, by its record alone; `None` if it holds no run.
pub fn look(dir: &Path) -> Option<SavedRun> {
    let (parent, name) = (dir.parent()?, dir.file_name()?);
    Listed::look(parent, name, None).map(|listed| listed.run)
}

/// Lists the runs in `dir`, and saves in the index what has changed. A directory that does not exist
/// has no runs.
///
/// # Errors
/// The names in `dir` cannot be read. A problem with the index is not an error, and a run that cannot
/// be read is part of the list.
pub fn list(dir: &Path, source: ListSource, index: &RunIndex) -> Result<RunList, Failure> {
    let mut index = OpenIndex::of(index, source);
    let mut all = RunList::default();
    all.add(dir, &mut index)?;
    Ok(all.finished(index))
}

/// Lists the runs in `dir` and in every other directory that the index knows. One that does not exist
/// now is left out with a sentence; where the list is made from the directories, it is forgotten.
///
/// # Errors
/// As [`list`]. Another directory that cannot be read is left out with a sentence.
pub fn list_all(dir: &Path, source: ListSource, index: &RunIndex) -> Result<RunList, Failure> {
    let mut index = OpenIndex::of(index, source);
    let mut all = RunList::default();
    all.add(dir, &mut index)?;
    let own = std::fs::canonicalize(dir).ok();
    let others = index.directories().into_iter().filter(|dir| Some(dir) != own.as_ref());
    let (there, away): (Vec<PathBuf>, Vec<PathBuf>) = others.partition(|dir| dir.is_dir());
    for dir in &there {
        if let Err(e) = all.add(dir, &mut index) {
            all.notes.push(format!("{}; its runs are left out", e.message));
        }
    }
    if !index.has_place() {
        all.notes.push(NO_PLACE.to_owned());
    }
    if !away.is_empty() {
        all.notes.push(away_note(&away, source == ListSource::Directories && index.forget(&away)));
    }
    all.runs.sort_by(SavedRun::newest_first);
    Ok(all.finished(index))
}

/// What is said where all runs were asked for, and nothing tells where they are.
const NO_PLACE: &str = "there is no directory for the index of runs, so other directories of runs are not \
    known; FATHOM_INDEX=FILE names a file for it";

/// What is said of directories that do not exist now.
fn away_note(away: &[PathBuf], are_forgotten: bool) -> String {
    let directories = counted_as(away.len(), "directory of runs", "directories of runs");
    match are_forgotten {
        true => format!("the index has forgotten {directories} that did not exist any more"),
        false => format!(
            "{directories} of the index cannot be found now; fathom runs --all --rebuild makes the index without them"
        ),
    }
}

impl RunList {
    /// Adds the runs of a directory.
    fn add(&mut self, dir: &Path, index: &mut OpenIndex<'_>) -> Result<(), Failure> {
        let names = match last_first(dir) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            names => names.map_err(|e| {
                let failure =
                    Failure::new(Exit::Usage, format!("cannot list the runs in {}: {e}", dir.display()));
                failure.hint("--runs-dir names the directory that holds the directories of the runs")
            })?,
        };
        // The index knows a directory by its path without links.
        let real = std::fs::canonicalize(dir).ok();
        let mut known = real.as_deref().map(|dir| index.known(dir)).unwrap_or_default();
        let look = |name: OsString| {
            let known = known.remove(&name);
            Listed::look(dir, &name, known)
        };
        let mut listed: Vec<Listed> = names.into_iter().filter_map(look).collect();
        let gone: Vec<OsString> = known.into_keys().collect();
        real.iter().for_each(|dir| index.remember(dir, &listed, &gone));
        self.records_read += listed.iter().filter(|run| !run.is_from_index).count();
        listed.sort_by(Listed::newest_first);
        self.runs.extend(listed.into_iter().map(|listed| listed.run));
        Ok(())
    }

    fn finished(mut self, index: OpenIndex<'_>) -> RunList {
        self.notes.splice(0..0, index.saved());
        self
    }
}

/// The names of the directories in `dir` that may hold a run, the last first. Names of runs begin
/// with the time in UTC, so among them the newest is first.
///
/// Hidden directories are no runs: a run that begins has a hidden directory until its record is in
/// it. Links are left out, because `latest` would show a run twice.
fn last_first(dir: &Path) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if !name.as_bytes().starts_with(b".") && entry.file_type()?.is_dir() {
            names.push(name);
        }
    }
    names.sort_unstable_by(|one, other| other.cmp(one));
    Ok(names)
}
