//! Failures and exit codes as people and shells get them.

use fathom_job::diagnostic::bounded;
use fathom_text::shown;
use std::process::ExitCode;

pub use crate::edge::{print, print_json, say, say_block};
pub use fathom_session::{Exit, Failure};

/// How the process ends.
pub fn exit_code(exit: Exit) -> ExitCode {
    ExitCode::from(exit as u8)
}

/// Prints a failure to stderr.
pub fn tell(failure: &Failure) {
    say_block(&to_text(failure));
}

/// Sentence and hints, each a line, or the findings.
fn to_text(failure: &Failure) -> String {
    let mut lines: Vec<String> = bounded(&failure.findings).iter().map(ToString::to_string).collect();
    if lines.is_empty() {
        lines.push(format!("error: {}", shown::line(&failure.message)));
    }
    lines.extend(failure.hints.iter().map(|hint| format!("  hint: {}", shown::line(hint))));
    lines.join("\n")
}
