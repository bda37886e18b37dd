//! `runtime` without `time_based` is only an upper limit (fio issues #329,
//! #1414: the most asked question about the two).

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::options;

pub(super) const RULE: LintRule = LintRule { code: "early-end", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let end = &input.first.end;
    let (time, bytes) = (end.time.filter(|_| !end.time_based)?, end.bytes?);
    let message = format!("job {} ends after {time} or {bytes}, whichever comes first", input.first.name);
    Some(
        note(input, &RULE, &options::RUNTIME, message)
            .hint("time_based=1 repeats the region until the time is over"),
    )
}
