//! A run that signals can end.

use crate::failure::Failure;
use crate::signals::Signals;
use fathom_results::RunResult;
use fathom_session::{Here, Request};
use fathom_text::carried;

/// Runs the request. Ctrl-C, SIGTERM and SIGHUP end the run, and what was measured is saved.
pub fn run(request: Request<'_>, here: &Here) -> Result<RunResult, Failure> {
    let _signals = Signals::watch(request.ender.clone())?;
    fathom_session::run(request, here)
}

/// The command line of this process, for the record of a run.
pub fn command() -> Vec<String> {
    std::env::args_os().map(carried::of_os).collect()
}
