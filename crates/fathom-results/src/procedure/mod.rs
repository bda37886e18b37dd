//! What a procedure leaves behind: a directory with its definition, its history and its rounds.
//!
//! ```text
//! procedure.json        the definition, what all rounds share and, at the end, the conclusion and the seal
//! history               one line for each step that ended, appended and flushed
//! rounds/0001-CELL/     a run, as any other
//! ```
//! A round is a run: it has `run.json` and a spool, and every command reads it. What all rounds have
//! in common (the facts of the host, the findings of the audit) is only in `procedure.json`.
//!
//! Nothing in these files gives consent to write to a target.

mod content;
mod document;
mod done;
mod figures;
mod history;
mod jobs;
mod kept_percentiles;
mod load;
mod own_words;
mod record;
mod seal;

pub use content::{ContentFault, ContentRange, ContentSamples};
pub use document::ProcedureDocument;
pub use done::{Preparation, RoundDone, StepDone, StepRecord, WRONG_BLOCKS_KEPT, WaitedFor};
pub use figures::{AskedRate, DeviceCounts, FallFigures, RoundFigures, SyncFigures, UnreachedDepth};
pub use history::{HISTORY_MAX_BYTES, HistoryExtent, HistoryWriter};
pub use jobs::{JobSource, JobText};
pub use kept_percentiles::KeptPercentiles;
pub(crate) use load::load_record;
pub use load::{ProcedureResult, is_procedure, load_procedure};
pub use own_words::OwnWords;
pub use record::{
    CONSENT_OPTIONS, Conclusion, FORMAT, MEASURING_COMMANDS, ProcedureForecast, ProcedureRecord,
    ResumedOtherwise, SharedRecord, TargetIdentity,
};
pub use seal::ProcedureSeal;

/// Name of the history in the directory of a procedure.
pub const HISTORY: &str = "history";

/// Name of the directory that holds the rounds.
pub const ROUNDS: &str = "rounds";

/// What the name of a round that was cut short has before the number of the try.
pub const CUT: &str = ".cut-";
