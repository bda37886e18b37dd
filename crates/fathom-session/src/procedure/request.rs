//! What a procedure is started with, in plain values.

use crate::ender::Ender;
use crate::exit::Failure;
use crate::request::{RunDir, RunLabels};
use crate::tuned::Tuned;
use fathom_engine::runner::Patience;
use fathom_guard::Consent;
use fathom_results::procedure::JobSource;
use std::path::PathBuf;
use std::sync::Arc;

/// What is to be done.
pub struct ProcedureRequest<'a> {
    /// What the procedure is called, if its labels have no name.
    pub name: String,
    /// What a person wrote on it.
    pub labels: RunLabels,
    /// Which procedure: its name in the table.
    pub procedure: &'static str,
    /// The parameters of the procedure, by name.
    pub parameters: Vec<(String, String)>,
    /// The jobs of the command line, as [`read_jobs`](super::read_jobs) read them.
    pub jobs: JobSource,
    /// The command that asked for it, for the record.
    pub command: Vec<String>,
    /// Where the procedure is saved.
    pub dir: RunDir,
    /// All random numbers come from this one; from a new one if it is not given.
    pub seed: Option<u64>,
    /// How it is driven.
    pub terms: DriverTerms<'a>,
}

/// What a procedure is resumed with.
pub struct ResumeRequest<'a> {
    /// The directory of the procedure.
    pub dir: PathBuf,
    /// Go on although something is not as it was.
    pub anyway: bool,
    /// How it is driven. Consent is given again: nothing that was saved gives it.
    pub terms: DriverTerms<'a>,
}

/// How a procedure is driven. Nothing of this is saved.
pub struct DriverTerms<'a> {
    /// The targets that may be written.
    pub consent: Consent,
    /// The directory of the record by which fathom knows the files that it created; without it, the
    /// usual one.
    pub state_dir: Option<PathBuf>,
    /// How long a target may not answer before it is given up.
    pub patience: Patience,
    /// Puts the tuning in force that the procedure tries.
    pub tuner: Option<&'a dyn Tuner>,
    /// Ends the procedure from outside.
    pub ender: Arc<Ender>,
}

/// Puts a tuning in force, as often as a procedure asks for it.
pub trait Tuner {
    /// Puts it in force. A setting that cannot be changed is an error, and then nothing is changed.
    ///
    /// # Errors
    /// The kernel refused a setting.
    fn apply(&self) -> Result<Arc<Tuned>, Failure>;
}
