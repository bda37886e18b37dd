//! A ramp longer than the measurement is usually a mistake in the unit.

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::options;

pub(super) const RULE: LintRule = LintRule { code: "long-ramp", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let (ramp, time) = (input.first.ramp, input.first.end.time?);
    (ramp > time).then(|| {
        let message = format!("job {} warms up for {ramp} and measures for {time}", input.first.name);
        note(input, &RULE, &options::RAMP_TIME, message).hint("runtime counts from the end of ramp_time")
    })
}
