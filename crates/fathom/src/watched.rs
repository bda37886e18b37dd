//! A run that signals can end.

use crate::failure::Failure;
use crate::signals::Signals;
use fathom_engine::runner::Patience;
use fathom_guard::{Consent, Door};
use fathom_job::parse::JobSet;
use fathom_job::plan::Plan;
use fathom_results::RunResult;
use fathom_session::{Here, Request, RunLabels, SavedAt, StatePlaces, globals};
use fathom_text::carried;
use std::sync::Arc;

/// Runs the request. Ctrl-C, SIGTERM and SIGHUP end the run, and what was measured is saved.
pub fn run(request: Request<'_>, here: &Here) -> Result<RunResult, Failure> {
    let _signals = Signals::watch(request.ender.clone(), here.slow_look())?;
    fathom_session::run(request, here)
}

/// A request by the rules of fathom's own commands, with what most of them want.
pub fn request<'a>(
    name: &str,
    plan: impl Into<Arc<Plan>>,
    jobs: &JobSet,
    consent: Consent,
    saved: SavedAt,
) -> Request<'a> {
    Request {
        name: name.to_owned(),
        labels: RunLabels::default(),
        plan: plan.into(),
        globals: globals(jobs),
        door: Door::Native,
        command: std::env::args_os().map(carried::of_os).collect(),
        consent,
        saved,
        logs_here: None,
        states: StatePlaces::default(),
        wrong_blocks_to: None,
        patience: Patience::USUAL,
        calibrates: false,
        removes_created: false,
        tuned: None,
        until: None,
        procedure: None,
        round: None,
        ender: Arc::default(),
    }
}
