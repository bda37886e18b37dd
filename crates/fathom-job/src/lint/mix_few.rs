//! A mix with so few I/Os that one of its directions is not expected once.

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::options;
use crate::value::Mix;

pub(super) const RULE: LintRule = LintRule { code: "mix-few", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let first = input.first;
    let reads = u64::from(first.read_percent);
    if first.rw.mix != Mix::ReadWrite || matches!(reads, 0 | 100) {
        return None;
    }
    let most = input.most_ios()?;
    let (rare, share) = if reads < 50 { ("read", reads) } else { ("write", 100 - reads) };
    if most.saturating_mul(share) >= 100 {
        return None;
    }
    let message = format!(
        "job {} makes {} of {reads} % reads: so few may have no {rare} at all",
        first.name,
        fathom_text::words::counted(most as usize, "I/O"),
    );
    let least = 100u64.div_ceil(share);
    Some(
        note(input, &RULE, &options::RW, message)
            .hint(format!("at least {least} I/Os: a larger size, or time_based=1 with a runtime")),
    )
}
