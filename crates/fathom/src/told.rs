//! What is printed on stderr before and after a run: findings of its plan, failures of its jobs.

use crate::failure::{say, say_block};
use fathom_job::diagnostic::bounded;
use fathom_job::lint::is_for_the_start;
use fathom_job::plan::Plan;
use fathom_results::{EventKind, JobFailure, JobResult, RunResult};
use fathom_session::is_stuck;

/// Prints what is to be seen of the findings of a plan before it runs: warnings, and notes of options that do not do
/// what they say. Other notes are shown when a plan is asked for.
pub fn findings(plan: &Plan) {
    let told: Vec<_> = plan.findings.iter().filter(|found| is_for_the_start(found)).cloned().collect();
    bounded(&told).iter().for_each(|finding| say_block(&finding.to_string()));
}

/// Most failures that are printed.
const FAILURES_MAX: usize = 16;

/// Prints the failures of a run, one line each. A thousand clones may fail for the same
/// reason, so only the first are printed.
pub fn failures(run: &RunResult) {
    let failed = |job: &JobResult| Some((job.planned.name.clone(), job.outcome.as_ref()?.failure.clone()?));
    let failures: Vec<(String, JobFailure)> = run.jobs.iter().filter_map(failed).collect();
    for (name, failure) in failures.iter().take(FAILURES_MAX) {
        say(&format!("error: job {name}: {}", failure.message));
    }
    if failures.len() > FAILURES_MAX {
        say(&format!("error: {} more workers failed", failures.len() - FAILURES_MAX));
    }
    if failures.iter().any(|(_, failure)| is_stuck(failure)) {
        stuck_hints().iter().for_each(|hint| say(&format!("  hint: {hint}")));
    }
    for event in run.events.iter().filter(|e| e.kind == EventKind::Unlink) {
        say(&format!("warning: {}", event.text));
    }
}

/// What to do about a target that does not answer.
fn stuck_hints() -> [String; 2] {
    let pid = std::process::id();
    [
        format!(
            "dmesg shows whether a device fails or resets; /proc/{pid}/task/THREAD/stack shows what waits"
        ),
        "a thread inside the kernel cannot be ended: the process stays until its I/O does".to_owned(),
    ]
}
