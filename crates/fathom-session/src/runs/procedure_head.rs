//! What a list shows of a procedure.

use super::head::{AnswerPart, RunHead, RunState};
use super::kept::{Devices, First, Kept, Tags, kept_text, kept_words};
use crate::procedure::LockedDirectory;
use fathom_results::answer::Headline;
use fathom_results::procedure::{FORMAT, HISTORY, HISTORY_MAX_BYTES};
use fathom_results::seal::has_checksum;
use fathom_results::{RunEnd, SavedDirectory};
use serde::Deserialize;
use std::path::Path;

impl RunHead {
    /// Reads it from the bytes of `procedure.json`. The error is one sentence, as carried text.
    pub(super) fn of_procedure(bytes: &[u8]) -> Result<RunHead, String> {
        let sentence_of = |e: serde_json::Error| {
            kept_words(&format_args!("procedure.json is not the record of a procedure: {e}"))
        };
        let record: Record = serde_json::from_slice(bytes).map_err(sentence_of)?;
        if record.format > FORMAT {
            return Err(format!(
                "procedure.json has format {}; this fathom reads up to {FORMAT}",
                record.format
            ));
        }
        match has_checksum(bytes, &record.record_crc32.0) {
            true => Ok(RunHead::from(record)),
            false => Err("procedure.json was changed after it was saved".to_owned()),
        }
    }
}

impl RunHead {
    /// The head of a procedure in `dir` as it is now. While it is not finished, its record says
    /// neither whether a process works on it nor how far it has come.
    pub(super) fn of_now(self, dir: &Path) -> RunHead {
        if self.state != RunState::Unfinished {
            return self;
        }
        let is_running = LockedDirectory::is_locked(dir);
        let held = SavedDirectory::open(dir);
        let rounds = held.and_then(|held| held.text(HISTORY, HISTORY_MAX_BYTES)).unwrap_or_default();
        let rounds = rounds.lines().filter(|line| line.contains("\"step\":\"round\"")).count();
        let state = if is_running { RunState::Running } else { RunState::Resumable };
        let s = if rounds == 1 { "" } else { "s" };
        RunHead { state, headline: Some(format!("{rounds} round{s} measured")), ..self }
    }
}

/// The fields of `procedure.json` that a list needs.
#[derive(Deserialize)]
struct Record {
    format: u32,
    id: Kept,
    name: Kept,
    started_unix_ns: u64,
    procedure: Kept,
    shared: SharedPart,
    note: Option<Kept>,
    #[serde(default)]
    tags: Tags,
    conclusion: Option<ConclusionPart>,
    record_crc32: Kept,
}

#[derive(Deserialize)]
struct SharedPart {
    targets: First<Kept>,
    host: Devices,
}

#[derive(Deserialize)]
struct ConclusionPart {
    ended: RunEnd,
    verdict: VerdictPart,
    answer: Option<AnswerPart>,
}

#[derive(Deserialize)]
struct VerdictPart {
    headline: Headline,
}

impl From<Record> for RunHead {
    fn from(record: Record) -> Self {
        let state = match &record.conclusion {
            None => RunState::Unfinished,
            Some(conclusion) if conclusion.ended == RunEnd::JobFailed => RunState::Failed,
            Some(_) => RunState::Complete,
        };
        // What its rounds say together has their trust; of a procedure with other rounds there is the verdict alone.
        let sentence_of = |it: ConclusionPart| match it.answer {
            Some(answer) => answer.sentence(),
            None => kept_text(&fathom_words::headline(&it.verdict.headline)),
        };
        let headline = record.conclusion.map(sentence_of);
        RunHead {
            id: record.id.0,
            name: record.name.0,
            started_unix_ns: record.started_unix_ns,
            target: record.shared.targets.0.map(|target| target.0),
            engine: Some(record.procedure.0),
            state,
            headline,
            note: record.note.map(|note| note.0),
            tags: record.tags.0,
            devices: record.shared.host.0,
        }
    }
}
