//! What is wrong with a job, where, and what to do about it.

use fathom_text::number::grouped;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    /// File name, `-` for standard input, `command line`, or `--set`.
    pub file: String,
    /// Line, from 1; 0 on the command line.
    pub line: usize,
    /// Column of the first marked character, from 1, in characters.
    pub column: usize,
    /// How many characters are marked, at least 1.
    pub length: usize,
    /// The whole line, unchanged; empty where it must not be shown.
    pub text: String,
}

/// One finding about a job.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Characters shown on either side of the marked ones.
const AROUND: usize = 60;
/// Characters of a message that are shown: a value of any length may be in it.
const MESSAGE_MAX: usize = 1_000;

impl Span {
    /// A place in `text` as typed on the command line: `length` characters, at least 1, from `column`.
    pub(crate) fn typed(file: &str, text: &str, column: usize, length: usize) -> Self {
        Span { file: file.to_owned(), line: 0, column, length: length.max(1), text: text.to_owned() }
    }

    /// The marked part of the line with the characters around it, the text below it up to the
    /// marks, and the marks.
    fn excerpt(&self) -> (String, String, String) {
        let start = self.column.saturating_sub(1);
        let length = self.length.clamp(1, 2 * AROUND);
        let first = start.saturating_sub(AROUND);
        let all = self.text.chars().count();
        let last = (start + length + AROUND).min(all).max(first);
        let before = if first > 0 { "…" } else { "" };
        let after = if last < all { "…" } else { "" };
        let part: String = self.text.chars().skip(first).take(last - first).collect();
        let below = part.chars().chain(std::iter::repeat(' ')).take(start - first);
        let pad: String = below.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let indent = if first > 0 { " " } else { "" };
        (format!("{before}{part}{after}"), format!("{indent}{pad}"), "^".repeat(length))
    }
}

fn shortened(message: &str) -> String {
    let length = message.chars().count();
    if length <= MESSAGE_MAX {
        return message.to_owned();
    }
    let half = MESSAGE_MAX / 2;
    let (head, tail): (String, String) =
        (message.chars().take(half).collect(), message.chars().skip(length - half).collect());
    format!("{head} … {tail}")
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
        write!(f, "{word}: {} [{}]", shortened(&self.message), self.code)?;
        if let Some(s) = self.span.as_ref().filter(|s| !s.text.is_empty()) {
            let (text, pad, marks) = s.excerpt();
            write!(f, "\n  | {text}\n  | {pad}{marks}")?;
        }
        for hint in &self.hints {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

/// Findings of one kind that are shown.
pub const SAME_MAX: usize = 16;

/// The findings to show, in their order: of each kind the first [`SAME_MAX`], and at the end how
/// many more there are.
pub fn bounded(findings: &[Diagnostic]) -> Vec<Cow<'_, Diagnostic>> {
    let mut counts: BTreeMap<(&str, Severity), usize> = BTreeMap::new();
    let mut shown = Vec::new();
    for finding in findings {
        let count = counts.entry((&finding.code, finding.severity)).or_default();
        *count += 1;
        if *count <= SAME_MAX {
            shown.push(Cow::Borrowed(finding));
        }
    }
    let rest = counts.into_iter().filter(|(_, count)| *count > SAME_MAX);
    shown.extend(rest.map(|((code, severity), count)| Cow::Owned(more(code, severity, count - SAME_MAX))));
    shown
}

fn more(code: &str, severity: Severity, count: usize) -> Diagnostic {
    Diagnostic::new(severity, code, format!("and {} more like those above", grouped(count as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_of_a_kind_are_counted_beyond_the_first() {
        let many = (0..10_000).map(|n| Diagnostic::error("a", format!("flaw {n}")));
        let all: Vec<Diagnostic> = many.chain([Diagnostic::error("b", "another")]).collect();
        let shown = bounded(&all);
        assert_eq!(shown.len(), SAME_MAX + 2);
        assert_eq!(shown[SAME_MAX].message, "another");
        assert_eq!(shown[SAME_MAX + 1].message, "and 9,984 more like those above");
        assert_eq!(bounded(&all[..SAME_MAX]).len(), SAME_MAX);
    }
}
