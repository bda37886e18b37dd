//! Drives that compress store zeros and short patterns at almost no cost (contract V-45: the
//! vendor's own sample fills with 0xAA).

use super::{LintInput, LintRule, warning};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::options;

pub(super) const RULE: LintRule = LintRule { code: "V-45", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let job = input.job();
    let zeros = job.get(&options::ZERO_BUFFERS);
    let pattern = job.is_given(&options::BUFFER_PATTERN);
    let writes = input.first.uses(Direction::Write) && !input.engine.diskless;
    (writes && (zeros || pattern) && !job.get(&options::REFILL_BUFFERS)).then(|| {
        let what = if zeros { "zeros" } else { "a repeated pattern" };
        let message = format!(
            "job {} writes {what}: drives that compress, and thin volumes, may not store it at all",
            job.name
        );
        let key = if zeros { options::ZERO_BUFFERS.def.name } else { options::BUFFER_PATTERN.def.name };
        let finding = match zeros {
            true => warning(input, &RULE, &options::ZERO_BUFFERS, message),
            false => warning(input, &RULE, &options::BUFFER_PATTERN, message),
        };
        finding.hint(format!("without {key}=, the payload is random"))
    })
}
