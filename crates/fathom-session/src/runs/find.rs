//! Finds saved runs by what a person typed: an id, the beginning of one, a name, or `latest`.

use super::index::RunIndex;
use super::saved_run::{Listed, SavedRun};
use super::{ListSource, list, list_all, names};
use crate::failure::Failure;
use crate::latest::id_in;
use fathom_results::RunRecord;
use fathom_results::procedure::{is_procedure, load_procedure};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The word that names the newest run.
pub const LATEST: &str = "latest";

/// The directory of the newest run in `dir`: by the names of the directories, which begin with the time, and by the records of those
/// that began in the same second; `None` if there is no run, or `dir` cannot be read.
pub fn newest(dir: &Path) -> Option<PathBuf> {
    let names = names::last_first(dir).unwrap_or_default();
    let is_run = |name: &&OsString| {
        let run = dir.join(name);
        run.join(RunRecord::FILE).is_file() || is_procedure(&run)
    };
    let first = names.iter().find(is_run)?;
    // Names tell the second, and several runs may begin in one: then their records tell which began last.
    let second = |name: &OsString| name.as_bytes().get(..SECOND.len()).map(<[u8]>::to_vec);
    let of_second = names.iter().filter(|name| second(name) == second(first)).filter(is_run);
    let began = |name: &&OsString| {
        let listed = Listed::look(dir, name, None);
        listed.and_then(|listed| listed.run.head.ok()).map_or(0, |head| head.started_unix_ns)
    };
    let all: Vec<&OsString> = of_second.collect();
    let newest = if all.len() == 1 { Some(first) } else { all.into_iter().rev().max_by_key(began) };
    newest.map(|name| dir.join(name))
}

/// How the names of runs begin: the time in UTC.
const SECOND: &str = "20261126-081739Z";

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
