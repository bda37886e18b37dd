//! What the jobs verified, with every wrong block that was kept.

use super::markup::escape;
use fathom_results::{JobResult, RunResult, Verification};
use fathom_words::capital;
use fathom_words::verification::{verification, wrong_block};

/// The section; empty where no job verified.
pub(super) fn section(run: &RunResult) -> String {
    let jobs: String = run.jobs.iter().filter_map(|job| Some(of_job(job, job.verification()?))).collect();
    if jobs.is_empty() {
        return jobs;
    }
    format!("<section>\n<h2>Verification</h2>\n{jobs}</section>\n")
}

fn of_job(job: &JobResult, found: &Verification) -> String {
    let name = escape(&job.planned.name);
    let all = escape(&capital(&verification(found)));
    if found.faults.is_empty() {
        return format!("<p>{name}: {all}.</p>\n");
    }
    let row = |fault| format!("<li>{}.</li>\n", escape(&wrong_block(job.path_of(fault), fault)));
    let rows: String = found.faults.iter().map(row).collect();
    let kept = found.faults.len() as u64;
    let more = match found.wrong - kept {
        0 => String::new(),
        more => format!("<p class=\"note\">{more} more wrong blocks were counted and not kept.</p>\n"),
    };
    format!("<p>{name}: {all}.</p>\n<ul>\n{rows}</ul>\n{more}")
}
