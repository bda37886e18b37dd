//! With buffered I/O, iodepth is the depth at the page cache, not at the device (contract V-43).
//! Where the engine cannot reach that depth at all, the plan already has a finding for it.

use super::{LintInput, LintRule, warning};
use crate::diagnostic::Diagnostic;
use crate::options;

pub(super) const RULE: LintRule = LintRule { code: "V-43", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let depth = input.first.depth;
    (input.buffered() && depth.asked > 1 && depth.reachable == depth.asked).then(|| {
        let message = format!(
            "job {}: iodepth={} with direct=0 is the depth at the page cache, which sends its own I/Os to \
                the device",
            input.first.name, depth.asked
        );
        warning(input, &RULE, &options::IODEPTH, message).hint("direct=1")
    })
}
