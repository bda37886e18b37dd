//! The list of runs as a JSON document.

use fathom_session::runs::{RunHead, RunState, SavedRun};
use fathom_text::calendar::Moment;
use fathom_text::carried;
use serde_json::{Value, json};
use std::path::{Path, absolute};

/// Version of the document. Added fields do not change it.
const FORMAT: u32 = 1;

/// The document. JSON has escapes of its own, so names are written with their own characters; bytes
/// that are no text stay carried (docs/adr/0008).
pub(super) fn of(dir: &Path, runs: &[&SavedRun]) -> Value {
    let runs: Vec<Value> = runs.iter().map(|saved| run(saved)).collect();
    json!({ "format": FORMAT, "runs_dir": text(&carried::of_os(dir)), "runs": runs })
}

fn run(run: &SavedRun) -> Value {
    let directory = text(&carried::of_os(run.directory()));
    let path = text(&carried::of_os(absolute(&run.path).unwrap_or_else(|_| run.path.clone())));
    match &run.head {
        Err(why) => json!({ "directory": directory, "path": path, "state": "damaged", "why": text(why) }),
        Ok(head) => json!({
            "directory": directory,
            "path": path,
            "state": state(head),
            "id": text(&head.id),
            "name": text(&head.name),
            "started": Moment::of_unix_ns(head.started_unix_ns).to_string(),
            "started_unix_ns": head.started_unix_ns,
            "target": head.target.as_deref().map(text),
            "engine": head.engine.as_deref().map(text),
            "headline": head.headline.as_deref().map(text),
            "note": head.note.as_deref().map(text),
            "tags": texts(&head.tags),
            "devices": texts(&head.devices),
        }),
    }
}

/// The state as one word, which a program can compare.
fn state(head: &RunHead) -> &'static str {
    match head.state {
        RunState::Complete => "complete",
        RunState::Incomplete => "incomplete",
        RunState::Unfinished => "unfinished",
        RunState::Running => "running",
        RunState::Resumable => "resumable",
    }
}

fn texts(all: &[String]) -> Vec<String> {
    all.iter().map(|one| text(one)).collect()
}

fn text(carried_text: &str) -> String {
    carried::to_unicode(carried_text).into_owned()
}
