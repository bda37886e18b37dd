//! Finds saved runs by what a person typed: an id, the beginning of one, a name, or `latest`; and which of a list are shown.

use super::head::{RunHead, RunState};
use super::index::RunIndex;
use super::saved_run::{Listed, SavedRun, UnreadableState};
use super::{ListSource, list, list_all};
use crate::exit::Failure;
use crate::latest::id_in;
use fathom_results::procedure::{ProcedureResult, is_procedure, load_procedure};
use fathom_results::{PowerCutResult, RunRecord};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The word that names the newest run.
pub const LATEST: &str = "latest";

/// The directory of the newest run in `dir`: by the names of the directories, which begin with the time, and by the records of those
/// that began in the same second; `None` if there is no run, or `dir` cannot be read.
pub fn newest(dir: &Path) -> Option<PathBuf> {
    newest_of(dir, is_measured)
}

/// The same, of runs, procedures and checks of power cuts.
pub fn newest_result(dir: &Path) -> Option<PathBuf> {
    newest_of(dir, |run| is_measured(run) || PowerCutResult::is_in(run))
}

fn is_measured(dir: &Path) -> bool {
    dir.join(RunRecord::FILE).is_file() || is_procedure(dir)
}

/// The procedures in `dir` of which this is true and that can be read, those that began last first.
pub fn procedures(dir: &Path, is_it: impl Fn(&ProcedureResult) -> bool) -> Vec<ProcedureResult> {
    let names = super::last_first(dir).unwrap_or_default();
    let dirs = names.iter().map(|name| dir.join(name)).filter(|dir| is_procedure(dir));
    let mut found: Vec<ProcedureResult> =
        dirs.filter_map(|dir| load_procedure(&dir).ok()).filter(is_it).collect();
    found.sort_by_key(|known| std::cmp::Reverse(known.record.started_unix_ns));
    found
}

/// The newest of the runs in `dir` of which this is true.
fn newest_of(dir: &Path, is_it: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let names = super::last_first(dir).unwrap_or_default();
    let is_run = |name: &&OsString| is_it(&dir.join(name));
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
    let is_open = |dir: &Path| load_procedure(dir).is_ok_and(|known| known.record.conclusion.is_none());
    newest_of(dir, |dir| is_procedure(dir) && is_open(dir))
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
    let names = super::last_first(dir).unwrap_or_default();
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

/// What a run must be to be shown. An empty filter shows every run, also the damaged ones, of which
/// nothing else is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// It measured this device: its path, its kernel name, or a part of its model or serial number; or
    /// this file.
    pub device: Option<String>,
    /// Its name contains this, in small or capital letters.
    pub name: Option<String>,
    /// It has all of these words.
    pub tags: Vec<String>,
    /// It began at this time or later, ns since 1970 UTC.
    pub since_unix_ns: Option<u64>,
    /// It began before this time, ns since 1970 UTC.
    pub until_unix_ns: Option<u64>,
    /// It is in one of these states; in any where there is none.
    pub states: Vec<StateFilter>,
}

/// A state by which runs are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateFilter {
    /// Its record can be read, and says this.
    Is(RunState),
    /// Its record cannot be read, for this reason.
    Not(UnreadableState),
}

impl RunFilter {
    /// The runs that are shown, in the order of the list.
    pub fn shown<'a>(&'a self, runs: &'a [SavedRun]) -> impl Iterator<Item = &'a SavedRun> {
        let device = self.device.as_deref().map(AskedDevice::of);
        runs.iter().filter(move |run| self.fits(run, device.as_ref()))
    }

    fn fits(&self, run: &SavedRun, device: Option<&AskedDevice<'_>>) -> bool {
        match &run.head {
            Err(unreadable) => {
                let only_states = RunFilter { states: self.states.clone(), ..RunFilter::default() };
                *self == only_states && self.has(StateFilter::Not(unreadable.state))
            }
            Ok(head) => self.has(StateFilter::Is(head.state)) && self.fits_head(head, device),
        }
    }

    fn has(&self, state: StateFilter) -> bool {
        self.states.is_empty() || self.states.contains(&state)
    }

    fn fits_head(&self, head: &RunHead, device: Option<&AskedDevice<'_>>) -> bool {
        self.name.as_ref().is_none_or(|name| contains(&head.name, name))
            && self.tags.iter().all(|tag| head.tags.contains(tag))
            && self.since_unix_ns.is_none_or(|since| head.started_unix_ns >= since)
            && self.until_unix_ns.is_none_or(|until| head.started_unix_ns < until)
            && device.is_none_or(|device| device.is_of(head))
    }
}

/// The device that is asked for. A link such as `/dev/disk/by-id/…` is followed once for a list, because ten thousand runs
/// may be in it.
struct AskedDevice<'a> {
    text: &'a str,
    /// The path without links; `None` where the text is no path, or nothing is there.
    real: Option<String>,
}

impl AskedDevice<'_> {
    fn of(text: &str) -> AskedDevice<'_> {
        let real = Path::new(text).canonicalize().ok().filter(|_| text.starts_with('/'));
        AskedDevice { text, real: real.map(fathom_text::carried::of_os) }
    }

    /// Whether a run measured it. What begins with a slash is a path, and a part of a path is
    /// no device: `sda` is not `/dev/sdaa`.
    fn is_of(&self, head: &RunHead) -> bool {
        head.devices.iter().chain(&head.target).any(|known| match known.starts_with('/') {
            true => self.is_path(known),
            false => !self.text.is_empty() && contains(known, self.text),
        })
    }

    fn is_path(&self, known: &str) -> bool {
        known == self.text
            || known.strip_prefix("/dev/") == Some(self.text)
            || Some(known) == self.real.as_deref()
    }
}

/// Is a part in a text, in small or capital letters?
fn contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}
