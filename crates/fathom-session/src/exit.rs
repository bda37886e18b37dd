//! The exit codes, failures with theirs, and how a saved run ends a command.

use fathom_job::diagnostic::Diagnostic;
use fathom_job::plan::LOST;
use fathom_results::{JobFailure, JobResult, RunEnd, RunResult};
use std::collections::BTreeSet;
use std::fmt::Display;

/// Exit codes: documented and tested; they do not change (docs/commands.md, "Exit codes").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing went wrong.
    Ok = 0,
    /// The run failed.
    Failed = 1,
    /// Wrong usage or a wrong job.
    Usage = 2,
    /// Refused for safety.
    Refused = 3,
    /// The workload met I/O errors.
    IoErrors = 4,
    /// The command finished, but the result is not valid: `verify=` that could check nothing, findings for
    /// `--fail-on`, settings that drifted, a purge without proof, a broken limit of a suite, a standard's test without steady
    /// state, `compare --fail-if-unclear`.
    NotValid = 5,
    /// A comparison found something worse by more than the limit that was asked for.
    Worse = 6,
    /// Incomplete; what was measured is saved.
    Incomplete = 7,
    /// The terminal went away (SIGHUP); what was measured is saved.
    HungUp = 129,
    /// Interrupted by Ctrl-C; what was measured is saved.
    Interrupted = 130,
    /// Terminated; what was measured is saved.
    Terminated = 143,
}

impl Exit {
    /// Every exit code.
    pub const ALL: [Exit; 11] = [
        Exit::Ok,
        Exit::Failed,
        Exit::Usage,
        Exit::Refused,
        Exit::IoErrors,
        Exit::NotValid,
        Exit::Worse,
        Exit::Incomplete,
        Exit::HungUp,
        Exit::Interrupted,
        Exit::Terminated,
    ];
}

/// Why something could not be done.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The exit code of a command that fails with it.
    pub exit: Exit,
    /// One sentence. A line break in it belongs to a name and is shown escaped.
    pub message: String,
    /// What to do, one line each.
    pub hints: Vec<String>,
    /// The errors of a job; they are shown instead of the sentence.
    pub findings: Vec<Diagnostic>,
    /// Only a consent is missing: an option of the command line allows it. A plan ends well with that.
    pub lacks_consent: bool,
}

impl Failure {
    /// A failure with one sentence.
    pub fn new(exit: Exit, message: impl Display) -> Self {
        let (hints, findings) = (Vec::new(), Vec::new());
        Failure { exit, message: message.to_string(), hints, findings, lacks_consent: false }
    }

    /// Something that was refused for safety, was asked for wrongly, or failed.
    pub fn of(e: impl Display, is_refusal: bool, is_usage: bool) -> Self {
        let exit = match (is_refusal, is_usage) {
            (true, _) => Exit::Refused,
            (_, true) => Exit::Usage,
            _ => Exit::Failed,
        };
        Failure::new(exit, e)
    }

    /// Adds a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds hints.
    pub fn hints(mut self, hints: Vec<String>) -> Self {
        self.hints.extend(hints);
        self
    }

    /// The same, which a consent may change.
    pub fn lacking_consent(self, lacks_consent: bool) -> Self {
        Failure { lacks_consent, ..self }
    }

    /// A wrong job, with its findings.
    pub fn job(findings: &[Diagnostic]) -> Self {
        let is_lost = findings.iter().any(|finding| finding.code == LOST);
        let exit = if is_lost { Exit::IoErrors } else { Exit::Usage };
        Failure { findings: findings.to_vec(), ..Failure::new(exit, "the job cannot run") }
    }
}

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
        _ if run.jobs.iter().any(|job| failed(job) && !checked_nothing(job)) => Exit::Failed,
        _ if run.jobs.iter().any(counted_errors) => Exit::IoErrors,
        _ if failures().next().is_some() => Exit::NotValid,
        // The person asked for this end beforehand.
        Some(RunEnd::Triggered) => Exit::Ok,
        _ if run.incomplete.is_some() => Exit::Incomplete,
        _ => Exit::Ok,
    }
}

fn failed(job: &JobResult) -> bool {
    job.outcome.as_ref().is_some_and(|outcome| outcome.failure.is_some())
}

/// Did a job fail because it could check nothing of what it should verify? No block was wrong.
fn checked_nothing(job: &JobResult) -> bool {
    let Some(outcome) = &job.outcome else { return false };
    let nothing = outcome.verification.as_ref().is_some_and(|found| found.ios == 0);
    nothing && outcome.failure.as_ref().is_some_and(|why| why.errno == 0)
}

/// How many jobs failed, each clone for itself. A job and the job that reads back what it wrote are one.
pub fn failed_jobs(run: &RunResult) -> usize {
    let failed = run.jobs.iter().filter(|job| failed(job)).map(|job| &job.planned);
    failed.map(|job| job.reads_back.unwrap_or(job.id)).collect::<BTreeSet<u32>>().len()
}

/// Errors count even if the job was set to continue after them.
fn counted_errors(job: &JobResult) -> bool {
    job.totals.directions.iter().any(|(_, d)| d.errors > 0)
}

/// Whether a target was given up. This failure has no direction. A single I/O that
/// timed out, or took longer than the job allows, has one.
pub fn is_stuck(failure: &JobFailure) -> bool {
    failure.errno == libc::ETIMEDOUT && failure.direction.is_none()
}
