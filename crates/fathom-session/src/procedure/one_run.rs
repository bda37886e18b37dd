//! The request of a round, and a procedure that is one run alone.

use super::jobs;
use super::request::DriverTerms;
use crate::exit::{Exit, Failure};
use crate::here::Here;
use crate::planning::globals;
use crate::request::{Request, RunDir, RunLabels, SavedAt};
use crate::verify_states::StatePlaces;
use fathom_guard::Door;
use fathom_job::plan::Plan;
use fathom_procedures::{History, Procedure, Round, Step};
use fathom_results::RunResult;
use fathom_results::procedure::JobSource;
use std::sync::Arc;

/// Runs a procedure that is one run ([`Procedure::is_one_run`]). It is saved as that run.
///
/// # Errors
/// Nothing was run.
pub fn run_one(
    procedure: &dyn Procedure,
    command: Vec<String>,
    labels: RunLabels,
    dir: RunDir,
    terms: &DriverTerms<'_>,
    here: &Here,
) -> Result<RunResult, Failure> {
    let (Step::Run(round), Some(name)) = (procedure.next(&History::new(&[])), procedure.is_one_run()) else {
        return Err(Failure::new(Exit::Usage, "the procedure is not a single run"));
    };
    let (jobs, plan) = jobs::plan(&JobSource::default(), &round, &[], here)?;
    let saved = SavedAt { dir, state_dir: terms.state_dir.clone() };
    let request = Request {
        globals: globals(&jobs),
        procedure: Some(name),
        command,
        labels,
        ..round_request(name.to_owned(), plan, &round, saved, terms)
    };
    crate::run::run(request, here)
}

/// The request of a round.
pub(super) fn round_request<'a>(
    name: String,
    plan: Plan,
    round: &Round,
    saved: SavedAt,
    terms: &DriverTerms<'_>,
) -> Request<'a> {
    Request {
        name,
        labels: RunLabels::default(),
        plan: Arc::new(plan),
        globals: Vec::new(),
        command: Vec::new(),
        door: Door::Native,
        consent: terms.consent.clone(),
        saved,
        logs_here: None,
        states: StatePlaces::default(),
        wrong_blocks_to: None,
        patience: terms.patience,
        calibrates: round.calibrates,
        removes_created: round.removes_created,
        tuned: None,
        procedure: None,
        round: None,
        until: round.until,
        ender: terms.ender.clone(),
    }
}
