//! How a command ends: exit codes, and errors as people read them.

use fathom_job::diagnostic::Diagnostic;
use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

/// Exit codes: documented, stable, tested (README, "Exit codes").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All is well.
    Ok = 0,
    /// A run failed for a reason of its own.
    Failed = 1,
    /// Wrong usage or a wrong job.
    Usage = 2,
    /// Refused for safety.
    Refused = 3,
    /// The workload met I/O errors.
    IoErrors = 4,
    /// It finished, and does not hold: findings where `--fail-on` asked,
    /// settings that drifted.
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

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Why a command could not do its work.
#[derive(Debug)]
pub struct Failure {
    /// Exit code.
    pub exit: Exit,
    /// One sentence, or rendered diagnostics.
    pub message: String,
    /// What to do, one line each.
    pub hints: Vec<String>,
}

impl Failure {
    /// A failure with one sentence.
    pub fn new(exit: Exit, message: impl Display) -> Self {
        Failure { exit, message: message.to_string(), hints: Vec::new() }
    }

    /// Adds a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// A wrong job: its findings, as they are.
    pub fn job(findings: &[Diagnostic]) -> Self {
        let text: Vec<String> = findings.iter().map(ToString::to_string).collect();
        Failure::new(Exit::Usage, text.join("\n"))
    }

    /// Prints it to stderr.
    pub fn tell(&self) {
        let mut text = String::new();
        if !self.message.contains("error:") {
            text.push_str("error: ");
        }
        text.push_str(&self.message);
        for hint in &self.hints {
            text.push_str("\n  hint: ");
            text.push_str(hint);
        }
        say(&text);
    }
}

/// One line of conversation, on stderr. Nobody listening is no error.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// The result, on stdout. A reader that has closed the pipe has seen enough:
/// that ends the output, not the command.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Exit::Failed, format!("writing to standard output: {e}")))
        }
        _ => Ok(()),
    }
}
