//! Ends a run from outside, and remembers why.

use crate::failure::Exit;
use fathom_engine::sink::{Stop, StopReason};
use std::sync::{Arc, OnceLock};

/// Asks a run to end: its I/O stops, and what was measured is saved.
#[derive(Debug, Default)]
pub struct Ender {
    stop: Arc<Stop>,
    cause: OnceLock<Cause>,
}

/// Why a run was asked to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The terminal went away (SIGHUP).
    HungUp,
    /// Somebody pressed Ctrl-C (SIGINT).
    Interrupted,
    /// Somebody ended the process (SIGTERM).
    Terminated,
    /// What the person named as the end of the run has happened: fio's triggers.
    Triggered,
}

impl Ender {
    /// Asks; the first cause stays.
    pub fn end(&self, cause: Cause) {
        let _ = self.cause.set(cause);
        self.stop.request(StopReason::Interrupt);
    }

    /// The cause, once somebody asked.
    pub fn cause(&self) -> Option<Cause> {
        self.cause.get().copied()
    }

    /// What the workers read.
    pub(crate) fn stop(&self) -> &Arc<Stop> {
        &self.stop
    }
}

impl Cause {
    const ALL: [Cause; 4] = [Cause::HungUp, Cause::Interrupted, Cause::Terminated, Cause::Triggered];

    /// As the record of the run says it.
    pub fn as_str(self) -> &'static str {
        match self {
            Cause::HungUp => "interrupted (SIGHUP)",
            Cause::Interrupted => "interrupted (SIGINT)",
            Cause::Terminated => "terminated (SIGTERM)",
            Cause::Triggered => "ended by its trigger",
        }
    }

    /// The cause that a record gives.
    pub fn of(how: &str) -> Option<Cause> {
        Self::ALL.into_iter().find(|cause| cause.as_str() == how)
    }

    /// How a command ends whose run was ended so. An end that the person asked for beforehand is
    /// no failure.
    pub fn exit(self) -> Exit {
        match self {
            Cause::HungUp => Exit::HungUp,
            Cause::Interrupted => Exit::Interrupted,
            Cause::Terminated => Exit::Terminated,
            Cause::Triggered => Exit::Ok,
        }
    }
}
