//! What is to run, in plain values.

use crate::ender::Ender;
use crate::outputs::InUse;
use crate::tuned::Tuned;
use fathom_engine::runner::Patience;
use fathom_guard::{Consent, Door};
use fathom_job::plan::Plan;
use fathom_results::{RunResult, Verdict};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is to run.
pub struct Request<'a> {
    /// What the run is called.
    pub name: String,
    /// What it does.
    pub plan: Arc<Plan>,
    /// Options of `[global]` as typed.
    pub globals: Vec<(String, String)>,
    /// The command that asked for it, for the record.
    pub command: Vec<String>,
    /// Whose rules hold: fathom's own or fio's.
    pub door: Door,
    /// What may be written.
    pub consent: Consent,
    /// Where the run is saved.
    pub saved: SavedAt,
    /// fio-style logs go to the current directory, and none of these files is
    /// emptied for one. Without it they go to the run's directory.
    pub logs_here: Option<&'a InUse>,
    /// How long a target may be silent.
    pub patience: Patience,
    /// The generator is measured without a target afterwards.
    pub calibrates: bool,
    /// The target is a scratch file: its name is removed once it is open.
    pub is_scratch: bool,
    /// The host was tuned for it.
    pub tuned: Option<Arc<Tuned>>,
    /// Judges the result, for procedures that do.
    pub judge: Option<&'a dyn Fn(&RunResult) -> Verdict>,
    /// Ends it from outside.
    pub ender: Arc<Ender>,
}

/// Where a run is saved.
#[derive(Clone, Debug)]
pub struct SavedAt {
    /// The directory of the run itself, or the one in which it is made.
    pub dir: RunDir,
    /// The directory of the record by which fathom knows the files that it created;
    /// without it, the usual one.
    pub state_dir: Option<PathBuf>,
}

/// The directory of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunDir {
    /// Exactly this one, which is new or empty.
    Exactly(PathBuf),
    /// A new one in this directory.
    In(PathBuf),
}

impl RunDir {
    /// The directory that must answer before a run can be saved.
    pub(crate) fn path(&self) -> &Path {
        match self {
            RunDir::Exactly(dir) | RunDir::In(dir) => dir,
        }
    }
}

impl SavedAt {
    /// Exactly this directory, with the usual record of created files.
    pub fn exactly(dir: impl Into<PathBuf>) -> Self {
        SavedAt { dir: RunDir::Exactly(dir.into()), state_dir: None }
    }
}
