//! What is wrong with a job, where, and what to do about it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing: a lint.
    Note,
    /// The job runs, but perhaps not as meant.
    Warning,
    /// Nothing runs.
    Error,
}

/// A place in a job file or on the command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// File name, `-` for standard input, `command line`, or `--set`.
    pub file: String,
    /// Line, from 1; 0 on the command line.
    pub line: usize,
    /// Column of the first marked character, from 1, in characters.
    pub column: usize,
    /// How many characters are marked, at least 1.
    pub length: usize,
    /// The whole line, as it stands.
    pub text: String,
}

/// One finding about a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How bad.
    pub severity: Severity,
    /// Stable short name of the rule (`unknown-option`, `V-43`, …).
    pub code: String,
    /// One sentence.
    pub message: String,
    /// Where, if it has a place.
    pub span: Option<Span>,
    /// What to do, one line each.
    pub hints: Vec<String>,
}

impl Diagnostic {
    /// A finding without place or hint.
    pub fn new(severity: Severity, code: &str, message: impl Into<String>) -> Self {
        Diagnostic { severity, code: code.to_owned(), message: message.into(), span: None, hints: Vec::new() }
    }

    /// An error.
    pub fn error(code: &str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// Adds the place.
    pub fn at(mut self, span: &Span) -> Self {
        self.span = Some(span.clone());
        self
    }

    /// Adds a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    /// `file:line:column: error: message`, the line underlined, hints below.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        match &self.span {
            Some(s) if s.line > 0 => write!(f, "{}:{}:{}: ", s.file, s.line, s.column)?,
            Some(s) => write!(f, "{}: ", s.file)?,
            None => {}
        }
        write!(f, "{word}: {} [{}]", self.message, self.code)?;
        if let Some(s) = &self.span {
            let pad: String =
                s.text.chars().take(s.column - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            write!(f, "\n  | {}\n  | {pad}{}", s.text, "^".repeat(s.length.max(1)))?;
        }
        for hint in &self.hints {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}
