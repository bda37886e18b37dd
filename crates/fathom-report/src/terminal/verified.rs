//! What the jobs verified: how much is as it was written, and which blocks are not.

use super::answer::part;
use fathom_results::{FaultAt, JobResult, RunResult, Verification};
use fathom_text::style::Style;
use fathom_words::verification::{verification, wrong_block};

/// Wrong blocks that the first screen names.
const NAMED: usize = 3;

/// A line for each job that verified, and one for each of its wrong blocks, at most `most`; empty where none did.
pub(super) fn verified(run: &RunResult, most: usize, style: Style) -> String {
    let jobs: Vec<(&JobResult, &Verification)> = of_run(run).collect();
    let is_named = jobs.len() > 1;
    jobs.iter().map(|(job, found)| of_job(job, found, is_named, most, style)).collect()
}

/// The same for the first screen.
pub(super) fn brief(run: &RunResult, style: Style) -> String {
    verified(run, NAMED, style)
}

pub(crate) fn of_run(run: &RunResult) -> impl Iterator<Item = (&JobResult, &Verification)> {
    run.jobs.iter().filter_map(|job| Some((job, job.outcome.as_ref()?.verification.as_deref()?)))
}

fn of_job(job: &JobResult, found: &Verification, is_named: bool, most: usize, style: Style) -> String {
    let whose = if is_named { format!("{}: ", job.planned.name) } else { String::new() };
    let mut text = part("verified", &format!("{whose}{}", verification(found)), 2, style, str::to_owned);
    for fault in found.faults.iter().take(most) {
        text += &part("", &sentence(job, fault), 2, style, str::to_owned);
    }
    let left = found.wrong.saturating_sub(most.min(found.faults.len()) as u64);
    if left > 0 && found.wrong > 0 {
        text += &part("", &format!("and {left} more"), 1, style, str::to_owned);
    }
    text
}

pub(crate) fn sentence(job: &JobResult, fault: &FaultAt) -> String {
    let path = job.planned.files.get(fault.file as usize).map_or("", |file| file.path.as_str());
    wrong_block(path, fault)
}
