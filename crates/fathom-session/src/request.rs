//! What is to run, in plain values.

use crate::ender::Ender;
use crate::outputs::InUse;
use crate::tuned::Tuned;
use crate::verify_states::StatePlaces;
use fathom_engine::runner::Patience;
use fathom_guard::{Consent, Door};
use fathom_job::plan::Plan;
use fathom_judge::Claims;
use fathom_judge::steady::ConfidentTerms;
use fathom_results::RoundRecord;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is to run.
pub struct Request<'a> {
    /// What the run is called, if its labels have no name.
    pub name: String,
    /// What a person wrote on it.
    pub labels: RunLabels,
    /// What it does.
    pub plan: Arc<Plan>,
    /// The options of `[global]` as typed.
    pub globals: Vec<(String, String)>,
    /// The command that asked for it, for the record.
    pub command: Vec<String>,
    /// Whose rules apply: fathom's own or fio's.
    pub door: Door,
    /// The targets that may be written.
    pub consent: Consent,
    /// Where the run is saved.
    pub saved: SavedAt,
    /// If given, fio-style logs go to the current directory, and none of these files
    /// is emptied. Without it they go to the run's directory.
    pub logs_here: Option<&'a InUse>,
    /// Where the states of verifications are.
    pub states: StatePlaces,
    /// The directory for the contents of wrong blocks, in which no file is overwritten. Without it they go where the logs go.
    pub wrong_blocks_to: Option<PathBuf>,
    /// How long a target may not answer before it is given up.
    pub patience: Patience,
    /// After the run, the generator is measured without a target.
    pub calibrates: bool,
    /// The files that the run creates lose their names as soon as they are open.
    pub removes_created: bool,
    /// The tuning of the host for the run.
    pub tuned: Option<Arc<Tuned>>,
    /// The procedure that the run belongs to, which judges its result.
    pub procedure: Option<&'static str>,
    /// The round of a procedure that the run is.
    pub round: Option<RoundRequest>,
    /// The jobs of each stage end when their rate has settled.
    pub until: Option<ConfidentTerms>,
    /// Ends the run from outside.
    pub ender: Arc<Ender>,
}

/// A round of a procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundRequest {
    /// The id of the run, which follows from the seed of the procedure.
    pub id: String,
    /// Its place in the procedure.
    pub record: RoundRecord,
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
    /// A new directory in this one.
    In(PathBuf),
}

impl RunDir {
    /// The directory that must answer before a run can be saved.
    pub fn path(&self) -> &Path {
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

/// What a person writes on a run, to find it and to know it again. Texts are carried
/// ([`fathom_text::carried`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunLabels {
    /// Its name, in place of the usual one.
    pub name: Option<String>,
    /// A remark.
    pub note: Option<String>,
    /// Words by which it is found.
    pub tags: Vec<String>,
    /// What the data sheet of the device promises, to stand beside what a run measures. Rounds of a procedure have none.
    pub claims: Option<Claims>,
}
