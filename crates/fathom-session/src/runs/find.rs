//! Finds a saved run by its name: the newest, or the one with an id.

use super::names;
use crate::latest::id_in;
use fathom_results::RunRecord;
use fathom_results::procedure::{is_procedure, load_procedure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The directory of the newest run in `dir` by the names of the directories, which begin with the
/// time; `None` if there is no run, or `dir` cannot be read.
pub fn newest(dir: &Path) -> Option<PathBuf> {
    let names = names::last_first(dir).unwrap_or_default();
    let is_run = |run: &PathBuf| run.join(RunRecord::FILE).is_file() || is_procedure(run);
    names.iter().map(|name| dir.join(name)).find(is_run)
}

/// The directory of the newest procedure in `dir` that has no conclusion.
pub fn newest_unfinished(dir: &Path) -> Option<PathBuf> {
    let names = names::last_first(dir).unwrap_or_default();
    let is_open = |dir: &PathBuf| load_procedure(dir).is_ok_and(|known| known.record.conclusion.is_none());
    names.iter().map(|name| dir.join(name)).filter(|dir| is_procedure(dir)).find(is_open)
}

/// The directories in `dir` of the runs that were meant by this id, or by the beginning of one. A
/// run whose whole id was given is the only one that was meant.
pub fn with_id(dir: &Path, id: &str) -> Vec<OsString> {
    let mut names = names::last_first(dir).unwrap_or_default();
    let is_whole = |name: &OsString| name.to_string_lossy().ends_with(&format!("-{id}"));
    if names.iter().any(is_whole) {
        names.retain(is_whole);
    } else {
        let begins = |name: &OsString| name.to_str().and_then(id_in).is_some_and(|it| it.starts_with(id));
        names.retain(|name| !id.is_empty() && begins(name));
    }
    names
}
