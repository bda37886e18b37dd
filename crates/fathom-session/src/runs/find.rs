//! Finds a saved run by its name: the newest, or the one with an id.

use super::names;
use crate::latest::id_in;
use fathom_results::RunRecord;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The directory of the newest run in `dir` by the names of the directories, which begin with the
/// time; `None` if there is no run, or `dir` cannot be read.
pub fn newest(dir: &Path) -> Option<PathBuf> {
    let names = names::last_first(dir).unwrap_or_default();
    names.iter().map(|name| dir.join(name)).find(|run| run.join(RunRecord::FILE).is_file())
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
