//! The exit codes, and why something failed.

use fathom_job::diagnostic::Diagnostic;
use std::fmt::Display;

/// Exit codes: documented and tested; they do not change (README, "Exit codes").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing went wrong.
    Ok = 0,
    /// The run failed.
    Failed = 1,
    /// Wrong usage or a wrong job.
    Usage = 2,
    /// Refused for safety.
    Refused = 3,
    /// The workload met I/O errors.
    IoErrors = 4,
    /// The command finished, but the result is not valid: findings for
    /// `--fail-on`, settings that drifted, a purge without proof.
    NotValid = 5,
    /// Incomplete; what was measured is saved.
    Incomplete = 7,
    /// The terminal went away (SIGHUP); what was measured is saved.
    HungUp = 129,
    /// Interrupted by Ctrl-C; what was measured is saved.
    Interrupted = 130,
    /// Terminated; what was measured is saved.
    Terminated = 143,
}

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
