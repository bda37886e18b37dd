//! Finds saved runs by what a person typed: an id, the beginning of one, a name, or `latest`.

use super::index::RunIndex;
use super::saved_run::SavedRun;
use super::{ListSource, list, list_all, names};
use crate::failure::Failure;
use crate::latest::id_in;
use fathom_results::RunRecord;
use fathom_results::procedure::{is_procedure, load_procedure};
use std::path::{Path, PathBuf};

/// The word that names the newest run.
pub const LATEST: &str = "latest";

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

/// The runs that a person may have meant by this text, the newest first: those in `dir`; if there is none, those
/// in the directories that the index knows.
///
/// # Errors
/// `dir` cannot be read.
pub fn named(dir: &Path, text: &str, index: &RunIndex) -> Result<Vec<SavedRun>, Failure> {
    if text == LATEST {
        return match newest(dir) {
            Some(newest) => Ok(vec![SavedRun::unread(newest)]),
            None => Ok(list_all(dir, ListSource::Index, index)?.runs.into_iter().take(1).collect()),
        };
    }
    // The directory tells a whole id, and no run has to be looked at.
    let in_name = |name: &std::ffi::OsString| name.to_str().and_then(id_in) == Some(text);
    let names = names::last_first(dir).unwrap_or_default();
    if let Some(name) = names.iter().find(|name| in_name(name)) {
        return Ok(vec![SavedRun::unread(dir.join(name))]);
    }
    let here = meant(list(dir, ListSource::Index, index)?.runs, text);
    if !here.is_empty() {
        return Ok(here);
    }
    Ok(meant(list_all(dir, ListSource::Index, index)?.runs, text))
}

/// A run whose whole id was given is the only one that was meant; otherwise each whose id begins so,
/// or that has this name.
fn meant(mut runs: Vec<SavedRun>, text: &str) -> Vec<SavedRun> {
    if text.is_empty() {
        return Vec::new();
    }
    let is_whole = |run: &SavedRun| run.id() == Some(text);
    if let Some(whole) = runs.iter().position(is_whole) {
        return vec![runs.swap_remove(whole)];
    }
    let is_named = |run: &SavedRun| run.head.as_ref().is_ok_and(|head| head.name == text);
    runs.retain(|run| run.id().is_some_and(|id| id.starts_with(text)) || is_named(run));
    runs
}
