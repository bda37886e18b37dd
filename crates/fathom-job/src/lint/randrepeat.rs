//! The same random order in each run lets a cache learn it (contract I-35).

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::options;

pub(super) const RULE: LintRule = LintRule { code: "I-35", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let job = input.job();
    let chosen = job.is_given(&options::RANDREPEAT) || job.is_given(&options::RANDSEED);
    (input.first.rw.random && !chosen && !input.engine.diskless).then(|| {
        let message = format!(
            "job {} draws the same random offsets in each run: a cache still warm from the last run can \
                answer, so reads look too fast",
            job.name
        );
        note(input, &RULE, &options::RANDREPEAT, message)
            .hint("randrepeat=0 draws new offsets in each run; randrepeat=1 says that this is intended")
    })
}
