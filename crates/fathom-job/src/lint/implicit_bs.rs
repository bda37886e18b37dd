//! The block size decides the result more than any other option; a job that
//! leaves it to the default does not say what it measured (contract T-60).

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::options;

pub(super) const RULE: LintRule = LintRule { code: "T-60", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let job = input.job();
    let given =
        job.is_given(&options::BS) || job.is_given(&options::BSRANGE) || job.is_given(&options::BSSPLIT);
    (!given).then(|| {
        let message = format!(
            "job {} does not state its block size; the default is {}",
            job.name,
            input.first.block_max()
        );
        note(input, &RULE, &options::BS, message).hint("bs=4k states it in the job file")
    })
}
