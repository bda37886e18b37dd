//! Why something failed.

use crate::exit::Exit;
use fathom_job::diagnostic::Diagnostic;
use std::fmt::Display;

/// Why something could not be done.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The exit code of a command that fails with it.
    pub exit: Exit,
    /// One sentence. A line break in it belongs to a name and is shown escaped.
    pub message: String,
    /// What to do, one line each.
    pub hints: Vec<String>,
    /// The errors of a job; they are shown instead of the sentence.
    pub findings: Vec<Diagnostic>,
    /// Only a consent is missing: an option of the command line allows it. A plan ends well with that.
    pub lacks_consent: bool,
}

impl Failure {
    /// A failure with one sentence.
    pub fn new(exit: Exit, message: impl Display) -> Self {
        let (hints, findings) = (Vec::new(), Vec::new());
        Failure { exit, message: message.to_string(), hints, findings, lacks_consent: false }
    }

    /// Adds a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds hints.
    pub fn hints(mut self, hints: Vec<String>) -> Self {
        self.hints.extend(hints);
        self
    }

    /// The same, which a consent may change.
    pub fn lacking_consent(self, lacks_consent: bool) -> Self {
        Failure { lacks_consent, ..self }
    }

    /// A wrong job, with its findings.
    pub fn job(findings: &[Diagnostic]) -> Self {
        Failure { findings: findings.to_vec(), ..Failure::new(Exit::Usage, "the job cannot run") }
    }
}
