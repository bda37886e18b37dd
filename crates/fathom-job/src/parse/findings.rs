//! The list of findings as it grows: each once, and not without end.

use crate::diagnostic::{Diagnostic, Severity};
use std::collections::HashSet;

/// More errors than this help nobody.
const ERRORS_MAX: usize = 50;

/// In place of what was found in a file that may not be shown.
const HIDDEN: &str = "this line is not right; it is not shown, because the person who started fathom, \
                      or who owns the file that includes this one, may not read it";

#[derive(Debug, Default)]
pub(super) struct Findings {
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    dropped: usize,
    hidden: Vec<String>,
}

impl Findings {
    /// No further error will be shown.
    pub fn is_full(&self) -> bool {
        self.errors.len() >= ERRORS_MAX
    }

    /// Findings in this file show only their place, because the person who reads the message could
    /// not read the file.
    pub fn hide(&mut self, file: &str) {
        if !self.hidden.iter().any(|hidden| hidden == file) {
            self.hidden.push(file.to_owned());
        }
    }

    fn without_text(&self, mut found: Diagnostic) -> Diagnostic {
        if found.span.as_ref().is_some_and(|span| self.hidden.contains(&span.file)) {
            found.message = HIDDEN.to_owned();
            found.hints.clear();
        }
        found
    }

    /// Adds a finding, unless it is there already.
    pub fn push(&mut self, found: Diagnostic) {
        let found = self.without_text(found);
        let list = if found.severity == Severity::Error { &mut self.errors } else { &mut self.warnings };
        if list.contains(&found) {
            return;
        }
        if list.len() < ERRORS_MAX {
            list.push(found);
        } else if found.severity == Severity::Error {
            self.dropped += 1;
        }
    }

    /// The warnings, or all findings if there is an error; in the order of the
    /// text, file by file.
    pub fn end(mut self) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        in_order(&mut self.errors);
        in_order(&mut self.warnings);
        each_hint_once(&mut self.errors);
        if self.errors.is_empty() {
            return Ok(self.warnings);
        }
        if self.dropped > 0 {
            let more = format!("{} more errors are not shown", self.dropped);
            self.errors.push(Diagnostic::new(Severity::Error, "too-many-errors", more));
        }
        self.errors.extend(self.warnings);
        Err(self.errors)
    }
}

/// A job for an engine that fathom does not have has several options of that engine: what to write instead is a hint of the first of
/// them alone.
fn each_hint_once(list: &mut [Diagnostic]) {
    let mut given: HashSet<String> = HashSet::new();
    let unknown = list.iter_mut().filter(|found| found.code == "unknown-option");
    unknown.for_each(|found| found.hints.retain(|hint| given.insert(hint.clone())));
}

/// Sorts by place; files stay in the order in which they first appear.
fn in_order(list: &mut [Diagnostic]) {
    let file = |found: &Diagnostic| found.span.as_ref().map(|span| span.file.clone());
    let files: Vec<Option<String>> = list.iter().map(file).collect();
    list.sort_by_key(|found| {
        let first = files.iter().position(|f| *f == file(found));
        (first, found.span.as_ref().map(|span| (span.line, span.column)))
    });
}
