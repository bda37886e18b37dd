//! Why something failed.

use crate::exit::Exit;
use fathom_job::diagnostic::Diagnostic;
use std::fmt::Display;

/// Why something could not be done.
#[derive(Debug)]
pub struct Failure {
    /// The exit code of a command that fails with it.
    pub exit: Exit,
    /// One sentence. A line break in it belongs to a name and is shown escaped.
    pub message: String,
    /// What to do, one line each.
    pub hints: Vec<String>,
    /// The errors of a job; they are shown instead of the sentence.
    pub findings: Vec<Diagnostic>,
}

impl Failure {
    /// A failure with one sentence.
    pub fn new(exit: Exit, message: impl Display) -> Self {
        Failure { exit, message: message.to_string(), hints: Vec::new(), findings: Vec::new() }
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

    /// A wrong job, with its findings.
    pub fn job(findings: &[Diagnostic]) -> Self {
        Failure { findings: findings.to_vec(), ..Failure::new(Exit::Usage, "the job cannot run") }
    }
}
