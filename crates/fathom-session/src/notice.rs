//! What a session reports while it works, and to which listener.
//!
//! A session prints nothing. The program that drives it passes a [`Listener`], which shows a
//! notice, keeps it, or leaves it out.

use fathom_job::plan::Plan;
use fathom_results::Frame;
use fathom_results::procedure::{ProcedureForecast, StepRecord};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::exit::Exit;
use crate::tuned::PutBack;
use fathom_tune::TuneError;

/// Receives the notices of sessions, from any thread of theirs.
pub trait Listener: Send + Sync {
    /// Takes one notice. The run waits until this returns, so it should be quick.
    fn notice(&self, notice: Notice<'_>);

    /// The messages that a person was shown until now, for the record of the run.
    fn messages(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Something that happened.
pub enum Notice<'a> {
    /// A message for the person.
    Message(Message),
    /// An examination takes a while, or has shown something. It is left out where the person wants
    /// no progress.
    Examining(&'a str),
    /// Fathom has waited for an answer from this path longer than usual.
    Waiting(&'a str),
    /// What is done before the first I/O of a run got no answer within its limit. A process that waits for the session should
    /// now end: nothing was measured.
    NoAnswer {
        /// What does not answer.
        from: &'a str,
        /// The limit.
        within: Duration,
    },
    /// The run has its directory, in which everything is saved from now on.
    SavesIn(&'a Path),
    /// The plan begins to run.
    Begins(&'a Arc<Plan>),
    /// A frame of the run, before it is saved.
    Frame(&'a Frame),
    /// No worker runs any more, and what the run can learn about itself is known.
    Measured,
    /// A procedure with rounds begins, or goes on.
    ProcedureBegins {
        /// What is expected of the whole procedure.
        of: &'a ProcedureForecast,
        /// Rounds that have ended before.
        rounds: u32,
    },
    /// A step of a procedure is done and saved.
    StepEnded {
        /// The step.
        step: &'a StepRecord,
        /// What was expected of the whole procedure.
        of: &'a ProcedureForecast,
    },
    /// A target that does not answer holds up the end of the run as well. Everything that was
    /// measured is saved in `dir`, the host is put back, and no more will come: a process that
    /// waits for the session should now end with `exit`.
    Hangs {
        /// The directory of the run.
        dir: &'a Path,
        /// How the run ended.
        exit: Exit,
        /// What became of the tuning of the host, if there was one.
        put_back: Option<Result<PutBack, TuneError>>,
    },
}

/// A message for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// How much it matters.
    pub level: Level,
    /// One sentence.
    pub text: String,
    /// What to do, one line each.
    pub hints: Vec<String>,
}

/// How much a message matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The run ends because of it.
    Error,
    /// The result suffers from it.
    Warning,
    /// It is worth knowing.
    Note,
    /// What the target does at the moment.
    State,
}

impl Message {
    /// An error.
    pub fn error(text: impl Into<String>) -> Self {
        Self::new(Level::Error, text)
    }

    /// A warning.
    pub fn warning(text: impl Into<String>) -> Self {
        Self::new(Level::Warning, text)
    }

    /// A note.
    pub fn note(text: impl Into<String>) -> Self {
        Self::new(Level::Note, text)
    }

    /// What the target does at the moment.
    pub fn state(text: impl Into<String>) -> Self {
        Self::new(Level::State, text)
    }

    fn new(level: Level, text: impl Into<String>) -> Self {
        Message { level, text: text.into(), hints: Vec::new() }
    }

    /// Adds a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}
