//! Ends a run from outside, and remembers why.

use crate::exit::Exit;
use fathom_engine::sink::{Stop, StopReason};
use fathom_results::RunEnd;
use std::sync::{Arc, OnceLock};

/// Asks a run to end: it stops its I/O and saves what was measured.
#[derive(Debug, Default)]
pub struct Ender {
    stop: Arc<Stop>,
    cause: OnceLock<Cause>,
}

/// Why a run should end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The terminal went away (SIGHUP).
    HungUp,
    /// Somebody pressed Ctrl-C (SIGINT).
    Interrupted,
    /// Somebody ended the process (SIGTERM).
    Terminated,
    /// The condition that the person set for the end of the run came true: fio's triggers.
    Triggered,
}

impl Ender {
    /// Asks the run to end; only the first cause is kept.
    pub fn end(&self, cause: Cause) {
        let _ = self.cause.set(cause);
        self.stop.request(StopReason::Interrupt);
    }

    /// The cause, if the run should end.
    pub fn cause(&self) -> Option<Cause> {
        self.cause.get().copied()
    }

    /// The flag that the workers read.
    pub(crate) fn stop(&self) -> &Arc<Stop> {
        &self.stop
    }
}

impl Cause {
    /// The end of a run with this cause, in its record.
    pub fn run_end(self) -> RunEnd {
        match self {
            Cause::HungUp => RunEnd::HungUp,
            Cause::Interrupted => RunEnd::Interrupted,
            Cause::Terminated => RunEnd::Terminated,
            Cause::Triggered => RunEnd::Triggered,
        }
    }

    /// The exit code of a command whose run ended for this cause. An end that the
    /// person asked for beforehand is not a failure.
    pub fn exit(self) -> Exit {
        match self {
            Cause::HungUp => Exit::HungUp,
            Cause::Interrupted => Exit::Interrupted,
            Cause::Terminated => Exit::Terminated,
            Cause::Triggered => Exit::Ok,
        }
    }
}
