//! A rate so low that the run has too few I/Os for percentiles.

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::options;

/// Of fewer values than this, the 99th percentile is simply the largest one.
const LEAST: f64 = 100.0;

pub(super) const RULE: LintRule = LintRule { code: "few-samples", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let first = input.first;
    let time = first.end.time?;
    let ios = |d: &Direction| first.ios_asked(*d).map(|per_second| per_second * time.as_secs_f64());
    let used = Direction::ALL.into_iter().filter(|d| first.uses(*d));
    let (direction, ios) = used.filter_map(|d| Some((d, ios(&d)?))).find(|(_, ios)| *ios < LEAST)?;
    let message = format!(
        "job {} asks for about {ios:.0} {} I/Os in {time}: the 99th percentile of fewer than {LEAST} is \
         their maximum",
        first.name,
        direction.name()
    );
    let finding = match input.job().is_given(&options::RATE_IOPS) {
        true => note(input, &RULE, &options::RATE_IOPS, message),
        false => note(input, &RULE, &options::RATE, message),
    };
    Some(finding.hint("a longer runtime, or a higher rate"))
}
