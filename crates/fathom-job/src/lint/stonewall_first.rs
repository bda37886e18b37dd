//! `stonewall` on the first job alone: there is nothing that it could wait for, and it does not hold back the job behind it.
//! Where the second job has one too, each section has it by habit, and all is as it looks.

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::job::Origin;
use crate::options;

pub(super) const RULE: LintRule = LintRule { code: "stonewall-first", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let job = input.job();
    let next = input.next.filter(|next| next.stage == input.first.stage && next.wait_for.is_none())?;
    // In [global] it is meant for the jobs behind the first one.
    let is_own = job.setting(&options::STONEWALL).is_some_and(|wall| wall.origin != Origin::Global);
    if input.first.id > 0 || !is_own || !job.get(&options::STONEWALL) {
        return None;
    }
    let message = format!(
        "stonewall has no effect in job {}: no job is before it, and {} runs at the same time",
        input.first.name, next.name
    );
    Some(
        note(input, &RULE, &options::STONEWALL, message)
            .hint("stonewall in the section behind it has that job wait for this one"),
    )
}
