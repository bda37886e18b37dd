//! A buffered write counts as done when it is in memory (contract V-43).

use super::{LintInput, LintRule, warning};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::options;

pub(super) const RULE: LintRule = LintRule { code: "V-43", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let writes = input.buffered() && input.first.uses(Direction::Write);
    (writes && !flushes(input)).then(|| {
        let message = format!(
            "job {} writes with direct=0 and never flushes: its last writes may still be in \
             memory when it ends",
            input.first.name
        );
        warning(input, &RULE, &options::END_FSYNC, message)
            .hint("end_fsync=1 includes the flush in the measured time; direct=1 bypasses the cache")
    })
}

fn flushes(input: &LintInput<'_>) -> bool {
    let job = input.job();
    job.get(&options::END_FSYNC)
        || job.get(&options::FSYNC_ON_CLOSE)
        || job.get(&options::FSYNC) > 0
        || job.get(&options::FDATASYNC) > 0
        || job.get(&options::SYNC) != "none"
}
