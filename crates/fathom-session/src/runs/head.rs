//! What a list shows of a run: a few fields of `run.json`.
//!
//! The record of ten thousand jobs has megabytes, so only these fields are kept, and all others are
//! passed over without being stored.

use super::kept::{Devices, First, Kept, Tags, kept_text, kept_words};
use fathom_results::answer::Headline;
use fathom_results::record::FORMAT;
use fathom_results::seal::{NO_SEAL, changed_record};
use fathom_results::{Instead, LostIos, PowerCutResult, RoundsPart, RunEnd, TrustLevel};
use fathom_words::{of_instead, of_result, power_cut, run_end};
use serde::{Deserialize, Serialize};

/// What a list shows of a run. All texts are carried ([`fathom_text::carried`]), and cut after
/// 4,096 characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunHead {
    /// Id of the run.
    pub id: String,
    /// The name that the user gave: the first job file's stem, `quick`, ….
    pub name: String,
    /// Wall clock at the start, nanoseconds since 1970 UTC.
    pub started_unix_ns: u64,
    /// Path of the first file of the first job; `None` if that job uses none.
    pub target: Option<String>,
    /// Engine of the first job.
    pub engine: Option<String>,
    /// How far the run came.
    pub state: RunState,
    /// The result in one sentence. Without one: how the run ended, if it is incomplete.
    pub headline: Option<String>,
    /// What the user remarked.
    pub note: Option<String>,
    /// The words by which the user finds it.
    pub tags: Vec<String>,
    /// Paths of the targets and of the disks below them, their models and serial numbers; at most 64.
    pub devices: Vec<String>,
}

/// How far a run came, by what its record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Every job ended by its own rule.
    Complete,
    /// It ended before that, and was saved.
    Incomplete,
    /// Its end is not recorded: it still runs, or was killed.
    Unfinished,
    /// A procedure that a process works on.
    Running,
    /// A procedure that was interrupted and can be resumed.
    Resumable,
    /// A job failed; what was measured until then was saved.
    Failed,
}

impl RunState {
    /// The state in words, for lists.
    pub const fn words(self) -> &'static str {
        match self {
            RunState::Complete => "complete",
            RunState::Incomplete => "incomplete",
            RunState::Failed => "failed",
            RunState::Unfinished => "running or killed",
            RunState::Running => "running",
            RunState::Resumable => "resumable",
        }
    }
}

impl RunHead {
    /// Reads it from the bytes of a record. The error is one sentence without the path, as carried
    /// text.
    pub(super) fn of(bytes: &[u8]) -> Result<RunHead, String> {
        let record = serde_json::from_slice::<Record>(bytes);
        let format = match &record {
            Ok(record) => record.format,
            // A newer format may lack fields that this version needs.
            Err(_) => serde_json::from_slice::<FormatOnly>(bytes).map_or(0, |only| only.format),
        };
        if format > FORMAT {
            return Err(format!("run.json has format {format}; this fathom reads up to {FORMAT}"));
        }
        let wrong = |e| kept_words(&format_args!("run.json is not the record of a run: {e}"));
        let record = record.map_err(wrong)?;
        record.damage(bytes).map_or_else(|| Ok(RunHead::from(record)), Err)
    }

    /// Reads it from the bytes of the check of a power cut, which is short. The error is one sentence, as carried text.
    pub(super) fn of_power_cut(bytes: &[u8]) -> Result<RunHead, String> {
        let result = PowerCutResult::of_bytes(bytes).map_err(|e| kept_words(&e))?;
        let target = kept_text(&result.target);
        let identity = result.log.target.identity.as_deref().map(kept_text);
        Ok(RunHead {
            started_unix_ns: result.checked_unix_s.saturating_mul(1_000_000_000),
            headline: Some(power_cut::headline(&result).to_owned()),
            id: kept_text(&result.id),
            name: PowerCutResult::NAME.to_owned(),
            engine: None,
            state: RunState::Complete,
            note: None,
            tags: Vec::new(),
            devices: [target.clone()].into_iter().chain(identity).collect(),
            target: Some(target),
        })
    }
}

/// The fields of `run.json` that a list needs.
#[derive(Deserialize)]
struct Record {
    format: u32,
    id: Kept,
    name: Kept,
    started_unix_ns: u64,
    plan: PlanPart,
    host: Devices,
    note: Option<Kept>,
    #[serde(default)]
    tags: Tags,
    answer: Option<AnswerPart>,
    finish: Option<FinishPart>,
    seal: Option<SealPart>,
}

#[derive(Deserialize)]
struct SealPart {
    record_crc32: Kept,
}

impl Record {
    /// What its text alone says of damage. The other files of a run are not read for a list.
    fn damage(&self, bytes: &[u8]) -> Option<String> {
        let is_whole = self.finish.as_ref().is_some_and(|finish| finish.complete);
        match &self.seal {
            Some(seal) => changed_record(bytes, &seal.record_crc32.0),
            None => is_whole.then(|| NO_SEAL.to_owned()),
        }
    }
}

#[derive(Deserialize)]
struct FormatOnly {
    format: u32,
}

#[derive(Deserialize)]
struct PlanPart {
    jobs: First<JobPart>,
}

#[derive(Deserialize)]
struct JobPart {
    engine: Kept,
    files: First<FilePart>,
}

#[derive(Deserialize)]
struct FilePart {
    path: Kept,
}

#[derive(Deserialize)]
pub(super) struct AnswerPart {
    instead: Option<Instead>,
    lost: Option<LostIos>,
    result: Headline,
    so_far: Option<RoundsPart>,
    trust: TrustPart,
}

#[derive(Deserialize)]
struct TrustPart {
    level: TrustLevel,
}

impl AnswerPart {
    fn result(&self) -> String {
        of_result(&self.result, self.lost.as_ref(), self.so_far)
    }

    /// The result, with the trust where it is low; or what was measured instead of a disk.
    pub(super) fn sentence(self) -> String {
        match (&self.instead, self.trust.level) {
            (Some(instead), _) => kept_text(&of_instead(instead, self.lost.as_ref(), self.so_far)),
            (None, TrustLevel::Low) => kept_text(&format!("trust low: {}", self.result())),
            (None, _) => kept_text(&self.result()),
        }
    }
}

#[derive(Deserialize)]
struct FinishPart {
    complete: bool,
    ended: RunEnd,
    #[serde(default)]
    message: Option<Kept>,
}

impl FinishPart {
    fn sentence(self) -> String {
        self.message.map_or_else(|| run_end(self.ended).to_owned(), |message| message.0)
    }
}

impl From<Record> for RunHead {
    fn from(record: Record) -> Self {
        let (state, how) = match record.finish {
            None => (RunState::Unfinished, None),
            Some(finish) if finish.complete => (RunState::Complete, None),
            Some(finish) if finish.ended == RunEnd::JobFailed => (RunState::Failed, Some(finish.sentence())),
            Some(finish) => (RunState::Incomplete, Some(finish.sentence())),
        };
        let (engine, file) = record.plan.jobs.0.map(|job| (job.engine.0, job.files.0)).unzip();
        let target = file.flatten().map(|file| file.path.0).filter(|path| !path.is_empty());
        let answered = record.answer.map(AnswerPart::sentence);
        let headline = how.or(answered);
        RunHead {
            id: record.id.0,
            name: record.name.0,
            started_unix_ns: record.started_unix_ns,
            target,
            engine,
            state,
            headline,
            note: record.note.map(|note| note.0),
            tags: record.tags.0,
            devices: record.host.0,
        }
    }
}
