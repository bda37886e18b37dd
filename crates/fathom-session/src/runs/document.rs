//! The list of runs as a JSON document.

use super::head::{RunHead, RunState};
use super::saved_run::{SavedRun, Unreadable, UnreadableState};
use fathom_text::calendar::Moment;
use fathom_text::carried;
use serde::Serialize;
use std::path::{Path, absolute};

/// Version of the document. Added fields do not change it.
const FORMAT: u32 = 1;

/// A list of runs. JSON has escapes of its own, so names are written with their own characters; bytes
/// that are no text stay carried (docs/adr/0008).
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunsDocument {
    /// Version of the document: 1. Added fields do not change it.
    pub format: u32,
    /// The directory that holds the directories of the runs, as it was named.
    pub runs_dir: String,
    /// The runs, the newest first.
    pub runs: Vec<ListedRun>,
}

/// One directory of the list.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ListedRun {
    /// A run, a procedure or the check of a power cut.
    Readable(Box<ReadableRun>),
    /// A directory whose record cannot be read.
    Unreadable(UnreadableRun),
}

/// A run, a procedure or the check of a power cut in a list.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReadableRun {
    /// Name of its directory.
    pub directory: String,
    /// Absolute path of its directory.
    pub path: String,
    /// How far it came, as one word.
    pub state: RunState,
    /// Its id.
    pub id: String,
    /// The name that the user gave, or that of the first job file.
    pub name: String,
    /// Wall clock at the start, UTC.
    pub started: String,
    /// The same, nanoseconds since 1970.
    pub started_unix_ns: u64,
    /// First file of the first job; null if that job uses none.
    pub target: Option<String>,
    /// Engine of the first job.
    pub engine: Option<String>,
    /// The verdict in one sentence.
    pub headline: Option<String>,
    /// What the user remarked.
    pub note: Option<String>,
    /// The words by which the user finds it.
    pub tags: Vec<String>,
    /// Paths of the targets and of the disks below them, their models and serial numbers; at most 64.
    pub devices: Vec<String>,
}

/// A directory whose record cannot be read.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnreadableRun {
    /// Name of the directory.
    pub directory: String,
    /// Absolute path of the directory.
    pub path: String,
    /// Whether it is damaged, as one word.
    pub state: UnreadableState,
    /// Why it cannot be read.
    pub why: String,
}

impl RunsDocument {
    /// The document of these runs, which were listed for `dir`.
    pub fn of(dir: &Path, runs: &[&SavedRun]) -> Self {
        let runs = runs.iter().map(|run| ListedRun::of(run)).collect();
        RunsDocument { format: FORMAT, runs_dir: text(&carried::of_os(dir)), runs }
    }
}

impl ListedRun {
    fn of(run: &SavedRun) -> Self {
        let directory = text(&carried::of_os(run.directory()));
        let path = text(&carried::of_os(absolute(&run.path).unwrap_or_else(|_| run.path.clone())));
        match &run.head {
            Err(Unreadable { state, why }) => {
                let (state, why) = (*state, text(why));
                ListedRun::Unreadable(UnreadableRun { directory, path, state, why })
            }
            Ok(head) => ListedRun::Readable(Box::new(readable(directory, path, head))),
        }
    }
}

fn readable(directory: String, path: String, head: &RunHead) -> ReadableRun {
    ReadableRun {
        directory,
        path,
        state: head.state,
        id: text(&head.id),
        name: text(&head.name),
        started: Moment::of_unix_ns(head.started_unix_ns).to_string(),
        started_unix_ns: head.started_unix_ns,
        target: head.target.as_deref().map(text),
        engine: head.engine.as_deref().map(text),
        headline: head.headline.as_deref().map(text),
        note: head.note.as_deref().map(text),
        tags: texts(&head.tags),
        devices: texts(&head.devices),
    }
}

fn texts(all: &[String]) -> Vec<String> {
    all.iter().map(|one| text(one)).collect()
}

fn text(carried_text: &str) -> String {
    carried::to_unicode(carried_text).into_owned()
}
