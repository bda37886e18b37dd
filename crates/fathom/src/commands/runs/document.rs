//! The list of runs as a JSON document.

use fathom_session::runs::{RunHead, RunState, SavedRun};
use fathom_text::calendar::Moment;
use fathom_text::carried;
use serde_json::{Value, json};
use std::path::Path;

/// Version of the document. Added fields do not change it.
const FORMAT: u32 = 1;

/// The document. JSON has escapes of its own, so names are written with their own characters; bytes
/// that are no text stay carried (docs/adr/0008).
pub(super) fn of(dir: &Path, runs: &[SavedRun]) -> Value {
    let runs: Vec<Value> = runs.iter().map(run).collect();
    json!({ "format": FORMAT, "runs_dir": text(&carried::of_os(dir)), "runs": runs })
}

fn run(run: &SavedRun) -> Value {
    let directory = text(&carried::of_os(&run.directory));
    match &run.head {
        Err(why) => json!({ "directory": directory, "state": "damaged", "why": text(why) }),
        Ok(head) => json!({
            "directory": directory,
            "state": state(head),
            "id": text(&head.id),
            "name": text(&head.name),
            "started": Moment::of_unix_ns(head.started_unix_ns).to_string(),
            "started_unix_ns": head.started_unix_ns,
            "target": head.target.as_deref().map(text),
            "engine": head.engine.as_deref().map(text),
            "headline": head.headline.as_deref().map(text),
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

fn text(carried_text: &str) -> String {
    carried::to_unicode(carried_text).into_owned()
}
