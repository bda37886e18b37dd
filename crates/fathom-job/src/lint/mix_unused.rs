//! A share of reads in a job that does not mix reads and writes.

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::options;
use crate::value::Mix;

pub(super) const RULE: LintRule = LintRule { code: "mix-unused", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let (job, mix) = (input.job(), input.first.rw.mix);
    // Both are kept with the place of the one that was typed.
    let share = job.setting(&options::RWMIXREAD)?;
    let (does, mixed) = match mix {
        Mix::ReadWrite => return None,
        Mix::Read => ("only reads", "a mix"),
        Mix::Write => ("only writes", "a mix"),
        Mix::Trim => ("only trims", "a mix of reads and writes"),
        Mix::TrimWrite => ("trims and writes each block", "a mix of reads and writes"),
    };
    let message = format!(
        "job {} {does}, so {} % reads (rwmixread) has no effect",
        input.first.name,
        share.canonical()
    );
    let wanted = if input.first.rw.random { "rw=randrw" } else { "rw=rw" };
    Some(note(input, &RULE, &options::RWMIXREAD, message).hint(format!("{wanted} is {mixed}")))
}
