//! What the jobs verified: how much is as it was written, and which blocks are not.

use super::answer::part;
use crate::verified_rounds::{VerifiedRounds, verified_rounds};
use fathom_results::procedure::ProcedureResult;
use fathom_results::{JobResult, RunResult, Verification};
use fathom_text::style::Style;
use fathom_words::verification::{verification, wrong_block};

/// Wrong blocks that the first screen names.
pub(super) const NAMED: usize = 3;

/// A line for each job that verified, and one for each of its wrong blocks, at most `most`; empty where none did.
pub(super) fn verified(run: &RunResult, most: usize, style: Style) -> String {
    let jobs: Vec<(&JobResult, &Verification)> =
        run.jobs.iter().filter_map(|job| Some((job, job.verification()?))).collect();
    let is_named = jobs.len() > 1;
    jobs.iter().map(|(job, found)| of_job(job, found, is_named, most, style)).collect()
}

fn of_job(job: &JobResult, found: &Verification, is_named: bool, most: usize, style: Style) -> String {
    let whose = if is_named { format!("{}: ", job.planned.name) } else { String::new() };
    let faults = found.faults.iter().take(most).map(|fault| wrong_block(job.path_of(fault), fault));
    let left = found.wrong.saturating_sub(most.min(found.faults.len()) as u64);
    lines(&format!("{whose}{}", verification(found)), faults, left, style)
}

/// The same of the rounds of a procedure, added up; each wrong block has its round.
pub(super) fn verified_of_rounds(procedure: &ProcedureResult, most: usize, style: Style) -> String {
    let jobs = verified_rounds(procedure);
    let of_job = |job: &VerifiedRounds<'_>| {
        let whose = if jobs.len() > 1 { format!("{}: ", job.job) } else { String::new() };
        let blocks = job.wrong_blocks(most).into_iter();
        lines(&format!("{whose}{}", job.counted()), blocks, job.left_out(most), style)
    };
    jobs.iter().map(of_job).collect()
}

/// What was counted, the wrong blocks that are named, and how many are not.
fn lines(counted: &str, blocks: impl Iterator<Item = String>, left: u64, style: Style) -> String {
    let mut text = part("verified", counted, 2, style, str::to_owned);
    for block in blocks {
        text += &part("", &block, 2, style, str::to_owned);
    }
    if left > 0 {
        text += &part("", &format!("and {left} more"), 1, style, str::to_owned);
    }
    text
}
