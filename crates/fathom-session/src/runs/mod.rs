//! The list of saved runs.
//!
//! The directories are the truth. What the list needs of each `run.json` is kept in an index beside
//! them (`index.rs`), because ten thousand records have gigabytes. A list reads the names in the
//! directory and looks at each `run.json`; it opens only those that the index does not know as they
//! are now. Without an index that can be used the list is the same, and takes longer.
//!
//! The seal of a run is not checked here: that takes its whole directory, and `report` does it.

mod entries;
mod find;
mod first;
mod head;
mod index;
mod names;
mod procedure_head;
mod saved_run;
mod stamp;
#[cfg(test)]
mod tests;

pub use find::{newest, newest_unfinished, with_id};
pub use head::{RunHead, RunState};
pub use saved_run::SavedRun;

use crate::exit::Exit;
use crate::failure::Failure;
use entries::Known;
use index::Unusable;
use saved_run::Listed;
use std::io;
use std::path::Path;

/// The runs of one directory.
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

/// Lists the runs in `dir`, and saves the index if it has changed. A directory that does not exist
/// has no runs.
///
/// # Errors
/// The names in `dir` cannot be read. A problem with the index is not an error, and a run that cannot
/// be read is part of the list.
pub fn list(dir: &Path, source: ListSource) -> Result<RunList, Failure> {
    let names = match names::last_first(dir) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(RunList::default()),
        names => names.map_err(|e| {
            let failure =
                Failure::new(Exit::Usage, format!("cannot list the runs in {}: {e}", dir.display()));
            failure.hint("--runs-dir names the directory that holds the directories of the runs")
        })?,
    };
    let mut notes = Vec::new();
    let mut is_stale = source == ListSource::Directories;
    let mut known = if is_stale { Known::new() } else { known(dir, &mut is_stale, &mut notes) };
    let indexed = known.len();
    let mut look = |name| {
        let known = known.remove(&name);
        Listed::look(dir, name, known)
    };
    let mut listed: Vec<Listed> = names.into_iter().filter_map(&mut look).collect();
    let kept = listed.iter().filter(|run| run.is_from_index).count();
    let records_read = listed.len() - kept;
    let has_new = listed.iter().any(|run| !run.is_from_index && run.run.head.is_ok());
    if is_stale || has_new || kept < indexed {
        notes.extend(index::save(dir, &listed).err().map(|e| unsaved(dir, &e)));
    }
    listed.sort_by(Listed::newest_first);
    Ok(RunList { runs: listed.into_iter().map(|listed| listed.run).collect(), records_read, notes })
}

/// What the index knows. An index that cannot be used knows nothing, and is to be replaced.
fn known(dir: &Path, is_stale: &mut bool, notes: &mut Vec<String>) -> Known {
    index::read(dir).unwrap_or_else(|why| {
        *is_stale = true;
        if let Unusable::Damaged(what) = why {
            let index = dir.join(index::FILE);
            notes.push(format!(
                "the index {} was damaged ({what}), so every run was read again",
                index.display()
            ));
        }
        Known::new()
    })
}

fn unsaved(dir: &Path, e: &io::Error) -> String {
    let index = dir.join(index::FILE);
    format!("the index {} could not be saved ({e}), so the next list reads runs again", index.display())
}
