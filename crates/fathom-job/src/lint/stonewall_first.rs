//! `stonewall` on the first job: there is nothing that it could wait for.

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::job::Origin;
use crate::options;

pub(super) const RULE: LintRule = LintRule { code: "stonewall-first", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let job = input.job();
    // In [global] it is meant for the jobs behind the first one.
    let is_own = job.setting(&options::STONEWALL).is_some_and(|wall| wall.origin != Origin::Global);
    if input.first.id > 0 || !is_own || !job.get(&options::STONEWALL) {
        return None;
    }
    let message = format!("stonewall has no effect in job {}: no job is before it", input.first.name);
    Some(
        note(input, &RULE, &options::STONEWALL, message)
            .hint("stonewall in the next section has that job wait for this one"),
    )
}
