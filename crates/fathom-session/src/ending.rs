//! How a saved run ends a command.

use crate::ender::Cause;
use crate::exit::Exit;
use crate::hang::is_stuck;
use crate::target_watch;
use fathom_results::{JobResult, RunResult};

/// The exit code of a command whose run was saved.
pub fn exit_of(run: &RunResult) -> Exit {
    let failures = || run.jobs.iter().filter_map(|j| j.outcome.as_ref()).filter_map(|o| o.failure.as_ref());
    let how = run.record.finish.as_ref().map(|finish| finish.how.as_str());
    let cause = how.and_then(Cause::of);
    match cause.map(Cause::exit) {
        Some(exit) if exit != Exit::Ok => exit,
        _ if how.is_some_and(|how| how.starts_with(target_watch::STOPPED)) => Exit::Refused,
        _ if failures().any(is_stuck) => Exit::Incomplete,
        _ if failures().any(|f| f.offset.is_some()) => Exit::IoErrors,
        _ if failures().next().is_some() => Exit::Failed,
        _ if run.jobs.iter().any(counted_errors) => Exit::IoErrors,
        Some(exit) => exit,
        None if run.incomplete.is_some() => Exit::Incomplete,
        None => Exit::Ok,
    }
}

/// Errors count even if the job was set to continue after them.
fn counted_errors(job: &JobResult) -> bool {
    job.totals.directions.iter().any(|(_, d)| d.errors > 0)
}
