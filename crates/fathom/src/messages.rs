//! What is printed on stderr before and after a run: findings of its plan, failures of its jobs.

use crate::failure::{say, say_block};
use fathom_job::diagnostic::bounded;
use fathom_job::direction::Direction;
use fathom_job::lint::is_for_the_start;
use fathom_job::plan::Plan;
use fathom_results::{EventKind, JobFailure, JobResult, RunResult, Weight};
use fathom_session::is_stuck;
use fathom_words::of_finding;

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
    hints(run).into_iter().for_each(|hint| say(&format!("  hint: {hint}")));
    for event in run.events.iter().filter(|e| e.kind == EventKind::Unlink) {
        say(&format!("warning: {}", event.text));
    }
}

/// Prints what was measured instead of a disk, after a result of `fathom fio`, because fio's formats for people have no place for it.
/// It is printed on a terminal only; otherwise standard error stays empty.
pub fn instead(run: &RunResult) {
    for finding in run.record.findings.iter().filter(|finding| finding.weight == Weight::Instead) {
        let words = of_finding(finding);
        let next = if words.next.is_empty() { String::new() } else { format!("\n  hint: {}", words.next) };
        say_block(&format!("warning: {}: {}{next}", words.claim.whole(), words.evidence_of(finding)));
    }
}

/// What to do about failures that the job file, and not the device, is the cause of; each hint once.
fn hints(run: &RunResult) -> Vec<&'static str> {
    let failed = run.jobs.iter().filter_map(|job| Some((job, job.outcome.as_ref()?.failure.as_ref()?)));
    let all = failed.flat_map(|(job, failure)| of_failure(job.planned.direct, failure).iter().copied());
    let mut once: Vec<&str> = Vec::new();
    all.for_each(|hint| {
        if !once.contains(&hint) {
            once.push(hint)
        }
    });
    once
}

fn of_failure(is_direct: bool, failure: &JobFailure) -> &'static [&'static str] {
    let is_trim = failure.direction == Some(Direction::Trim);
    match failure.errno {
        // A file that was opened would have failed at a place.
        libc::EINVAL if is_direct && failure.offset.is_none() => &[
            "direct=0 measures this file system together with the page cache; with end_fsync=1 writes count as \
             ended when they are on the disk",
            "fathom devices lists what takes direct=1",
        ],
        libc::EOPNOTSUPP if is_trim => &[
            "lsblk -D lists what takes trims: where DISC-MAX is 0B, the device or a layer above it takes none",
        ],
        libc::ENOSPC => &["a smaller size=, or a directory= with more room; df shows it"],
        _ => &[],
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_that_the_job_can_avoid_has_its_hint() {
        let of = |errno, direction, offset| JobFailure { errno, message: String::new(), direction, offset };
        let hint = |is_direct, failure| of_failure(is_direct, &failure).first().copied().unwrap_or_default();
        assert!(hint(true, of(libc::EINVAL, None, None)).starts_with("direct=0 measures"));
        assert_eq!(hint(false, of(libc::EINVAL, None, None)), "");
        assert_eq!(
            hint(true, of(libc::EINVAL, Some(Direction::Read), Some(512))),
            "",
            "a file that was opened"
        );
        let trim = of(libc::EOPNOTSUPP, Some(Direction::Trim), Some(0));
        assert!(hint(true, trim).starts_with("lsblk -D lists"));
        assert!(hint(true, of(libc::ENOSPC, None, None)).contains("directory="));
        assert_eq!(hint(true, of(libc::EIO, Some(Direction::Read), Some(0))), "");
    }
}
