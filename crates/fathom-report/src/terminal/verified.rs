//! What the jobs verified: how much is as it was written, and which blocks are not.

use super::answer::part;
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
    let mut text = part("verified", &format!("{whose}{}", verification(found)), 2, style, str::to_owned);
    for fault in found.faults.iter().take(most) {
        text += &part("", &wrong_block(job.path_of(fault), fault), 2, style, str::to_owned);
    }
    let left = found.wrong.saturating_sub(most.min(found.faults.len()) as u64);
    if left > 0 {
        text += &part("", &format!("and {left} more"), 1, style, str::to_owned);
    }
    text
}
