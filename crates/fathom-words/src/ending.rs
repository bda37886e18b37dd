//! How a run ended, why it is incomplete, and why a round failed, in words.

use crate::Claim;
use crate::claim::claim;
use fathom_results::{Incomplete, RoundFailure, RunEnd};

/// What ended a run.
pub const fn run_end(end: RunEnd) -> &'static str {
    match end {
        RunEnd::ByItself => "every job ended by its own rule",
        RunEnd::JobFailed => "a job failed",
        RunEnd::HungUp => "interrupted (SIGHUP)",
        RunEnd::Interrupted => "interrupted (SIGINT)",
        RunEnd::Terminated => "terminated (SIGTERM)",
        RunEnd::Triggered => "ended by its trigger",
        RunEnd::Unsafe => "something else began to use a target",
        RunEnd::Unsaved => "what was measured could not be saved",
        RunEnd::GivenUp => "a target stopped answering",
        RunEnd::Unknown => "it ended for a reason that is not known",
    }
}

/// Why a run is incomplete, in a clause.
pub fn incomplete(why: &Incomplete) -> String {
    match why {
        Incomplete::Damaged { what } => what.clone(),
        Incomplete::Ended { message: Some(message), .. } => message.clone(),
        Incomplete::Ended { by, message: None } => run_end(*by).to_owned(),
        Incomplete::NothingSaved | Incomplete::NotEnded { .. } | Incomplete::Running => of_run(why).whole(),
        Incomplete::NoEndOfJob { job } => format!("the spool has no end of job {job}"),
        Incomplete::RecordNotSaved { error } => format!("the record of the run could not be saved: {error}"),
    }
}

/// The same as a sentence about the run.
pub(crate) fn of_run(why: &Incomplete) -> Claim {
    match why {
        Incomplete::NothingSaved => not_ended(NOTHING_SAVED),
        Incomplete::Running => claim("the run is not over").explained(": this is what was measured so far"),
        Incomplete::NotEnded { damage } => not_ended(damage.as_deref().unwrap_or(KILLED)),
        _ => claim("the run is incomplete").explained(format!(": {}", incomplete(why))),
    }
}

const NOTHING_SAVED: &str = "nothing was measured before it ended";

const KILLED: &str = "it was killed, or it still runs";

fn not_ended(why: &str) -> Claim {
    claim("the run did not end by itself").explained(format!(": {why}"))
}

/// Why a round failed, in a clause.
pub fn round_failure(why: &RoundFailure) -> String {
    match why {
        RoundFailure::Failed { message } => message.clone(),
        RoundFailure::Ended { by } => run_end(*by).to_owned(),
    }
}
