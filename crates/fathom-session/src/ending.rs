//! How a saved run ends a command.

use crate::exit::Exit;
use crate::hang::is_stuck;
use fathom_results::{JobResult, RunEnd, RunResult};

/// The exit code of a command whose run was saved.
pub fn exit_of(run: &RunResult) -> Exit {
    let failures = || run.jobs.iter().filter_map(|j| j.outcome.as_ref()).filter_map(|o| o.failure.as_ref());
    let ended = run.record.finish.as_ref().map(|finish| finish.ended);
    match ended {
        _ if run.damage.is_some() => Exit::Incomplete,
        Some(RunEnd::HungUp) => Exit::HungUp,
        Some(RunEnd::Interrupted) => Exit::Interrupted,
        Some(RunEnd::Terminated) => Exit::Terminated,
        Some(RunEnd::Unsafe) => Exit::Refused,
        _ if failures().any(is_stuck) => Exit::Incomplete,
        _ if failures().any(|f| f.offset.is_some()) => Exit::IoErrors,
        _ if failures().next().is_some() => Exit::Failed,
        _ if run.jobs.iter().any(counted_errors) => Exit::IoErrors,
        // The person asked for this end beforehand.
        Some(RunEnd::Triggered) => Exit::Ok,
        _ if run.incomplete.is_some() => Exit::Incomplete,
        _ => Exit::Ok,
    }
}

/// Errors count even if the job was set to continue after them.
fn counted_errors(job: &JobResult) -> bool {
    job.totals.directions.iter().any(|(_, d)| d.errors > 0)
}
