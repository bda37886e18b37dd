//! The findings of the planner: errors in one list, the rest in another, and each finding once,
//! however many clones it concerns.

use crate::diagnostic::{Diagnostic, Severity};
use crate::job::Job;
use crate::option::Key;
use std::collections::HashSet;

/// What to do about files of a trace that are not there.
pub(super) const REDIRECT: &str = "replay_redirect= issues all I/Os of the trace on one file or device";

/// A value, or the error that forbids the job.
pub(super) type Checked<T> = Result<T, Diagnostic>;

#[derive(Debug, Default)]
pub(super) struct Notes {
    errors: Vec<Diagnostic>,
    findings: Vec<Diagnostic>,
    kept: HashSet<Diagnostic>,
}

impl Notes {
    /// Keeps a finding, unless the same one is there already.
    pub(super) fn push(&mut self, finding: Diagnostic) {
        if self.kept.contains(&finding) {
            return;
        }
        self.kept.insert(finding.clone());
        let pile = if finding.severity == Severity::Error { &mut self.errors } else { &mut self.findings };
        pile.push(finding);
    }

    /// The value; or `None`, with the error kept.
    pub(super) fn take<T>(&mut self, result: Checked<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// The findings if nothing was wrong, else all errors.
    pub(super) fn finish(self) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        if self.errors.is_empty() { Ok(self.findings) } else { Err(self.errors) }
    }
}

/// An error at the option that caused it.
pub(super) fn error<T>(job: &Job, key: &Key<T>, code: &str, message: impl Into<String>) -> Diagnostic {
    at(Diagnostic::error(code, message), job, key)
}

pub(super) fn warning<T>(job: &Job, key: &Key<T>, code: &str, message: impl Into<String>) -> Diagnostic {
    at(Diagnostic::new(Severity::Warning, code, message), job, key)
}

pub(super) fn note<T>(job: &Job, key: &Key<T>, code: &str, message: impl Into<String>) -> Diagnostic {
    at(Diagnostic::new(Severity::Note, code, message), job, key)
}

/// Places a finding at an option, or at the job's header where the option was not given.
pub(crate) fn at<T>(finding: Diagnostic, job: &Job, key: &Key<T>) -> Diagnostic {
    at_name(finding, job, key.def.name)
}

/// The same by the option's canonical name.
pub(crate) fn at_name(finding: Diagnostic, job: &Job, option: &str) -> Diagnostic {
    match job.named(option) {
        Some(setting) => finding.at(&setting.span),
        None => finding.at(&job.span),
    }
}
