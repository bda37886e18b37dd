//! `startdelay` of a job that waits for others: it counts from the start of the run, as in fio, so most often it is over
//! before the others are.

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::options;
use crate::parse;
use crate::value::Value;

pub(super) const RULE: LintRule = LintRule { code: "late-delay", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let first = input.first;
    let waits = first.stage > 0 || first.wait_for.is_some();
    let delay =
        input.clones.iter().map(|clone| clone.start_delay).max().filter(|delay| delay.0 > 0 && waits)?;
    let message = format!(
        "job {} starts when the jobs before it have ended, but not before {delay} after the start of the run: startdelay \
         is no wait between the two, as in fio",
        first.name
    );
    let found = note(input, &RULE, &options::STARTDELAY, message);
    let delay = parse::print(&Value::Time(delay));
    Some(found.hint(format!("idle_before={delay} waits between the end of the jobs before it and its start")))
}
