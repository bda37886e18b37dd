//! One sequential pass does not precondition a flash drive (contract V-43):
//! the spare blocks behind the visible capacity are still unwritten, so the
//! first random writes after it are faster than they will stay.

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::options;
use crate::value::Mix;

pub(super) const RULE: LintRule = LintRule { code: "V-43", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let first = input.first;
    let pattern = first.writes() && !first.rw.random && matches!(first.rw.mix, Mix::Write | Mix::ReadWrite);
    let one_pass = first.end.loops == 1 && first.end.time.is_none() && first.end.ios.is_none();
    let whole = super::whole_device::filled(input)?;
    (pattern && one_pass).then(|| {
        let message = format!(
            "job {} fills {} once: flash keeps spare blocks, which only a second pass reaches",
            first.name, whole.path
        );
        note(input, &RULE, &options::LOOPS, message)
            .hint("loops=2 to precondition a drive (SNIA PTS writes twice the capacity)")
    })
}
