//! What the jobs verified, with every wrong block that was kept.

use super::markup::escape;
use crate::verified_rounds::{VerifiedRounds, verified_rounds};
use fathom_results::procedure::ProcedureResult;
use fathom_results::{JobResult, RunResult, Verification};
use fathom_text::shown::line;
use fathom_words::capital;
use fathom_words::verification::{verification, wrong_block};

/// The section; empty where no job verified.
pub(super) fn section(run: &RunResult) -> String {
    of_jobs(run.jobs.iter().filter_map(|job| Some(of_job(job, job.verification()?))).collect())
}

/// The section of a procedure: what each job verified in all rounds.
pub(super) fn section_of_rounds(procedure: &ProcedureResult) -> String {
    let of_job = |job: &VerifiedRounds<'_>| {
        let note = match job.left_out(usize::MAX) {
            0 => String::new(),
            more => format!("<p class=\"note\">{more} more wrong blocks: the reports of the rounds.</p>\n"),
        };
        paragraph(job.job, &job.counted(), &job.wrong_blocks(usize::MAX), &note)
    };
    of_jobs(verified_rounds(procedure).iter().map(of_job).collect())
}

fn of_jobs(jobs: String) -> String {
    if jobs.is_empty() {
        return jobs;
    }
    format!("<section>\n<h2>Verification</h2>\n{jobs}</section>\n")
}

fn of_job(job: &JobResult, found: &Verification) -> String {
    let blocks: Vec<String> =
        found.faults.iter().map(|fault| wrong_block(job.path_of(fault), fault)).collect();
    let kept = found.faults.len() as u64;
    let more = match found.wrong - kept {
        0 => String::new(),
        more => format!("<p class=\"note\">{more} more wrong blocks were counted and not kept.</p>\n"),
    };
    paragraph(&job.planned.name, &verification(found), &blocks, &more)
}

/// What a job counted, its wrong blocks as a list, and a note about the others.
fn paragraph(job: &str, counted: &str, blocks: &[String], note: &str) -> String {
    let first = format!("<p>{}: {}.</p>\n", escape(&line(job)), escape(&line(&capital(counted))));
    if blocks.is_empty() {
        return first;
    }
    let rows: String = blocks.iter().map(|block| format!("<li>{}.</li>\n", escape(&line(block)))).collect();
    format!("{first}<ul>\n{rows}</ul>\n{note}")
}
