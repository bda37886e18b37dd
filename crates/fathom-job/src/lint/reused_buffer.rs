//! By default one random buffer is written again and again (contracts V-43 and V-50): a drive or
//! array that compresses or deduplicates can store it once, so such a job does not fill it with
//! random data.

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::options;

pub(super) const RULE: LintRule = LintRule { code: "V-50", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let job = input.job();
    let chosen = job.get(&options::REFILL_BUFFERS)
        || job.get(&options::ZERO_BUFFERS)
        || job.is_given(&options::BUFFER_PATTERN)
        || job.is_given(&options::BUFFER_COMPRESS_PERCENTAGE)
        || job.is_given(&options::DEDUPE_PERCENTAGE);
    let writes = input.first.uses(Direction::Write) && !input.engine.diskless;
    (writes && !chosen).then(|| {
        let scrambled =
            if job.get(&options::SCRAMBLE_BUFFERS) { ", a few bytes in each 512 changed" } else { "" };
        let message = format!(
            "job {} writes the same random buffers over and over{scrambled}: a target that \
             compresses or deduplicates can gain from it",
            job.name
        );
        note(input, &RULE, &options::REFILL_BUFFERS, message)
            .hint("refill_buffers=1 writes fresh random data each time")
    })
}
