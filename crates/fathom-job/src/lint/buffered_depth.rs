//! Depth through the page cache is the cache's, not the device's (contract
//! V-43). Where the engine cannot even reach it, the plan has said so already.

use super::{LintInput, Rule, warning};
use crate::diagnostic::Diagnostic;
use crate::options;

pub(super) const RULE: Rule =
    Rule { code: "V-43", contracts: &["V-43"], about: "iodepth above 1 without direct=1", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let depth = input.first.depth;
    (input.buffered() && depth.asked > 1 && depth.reachable == depth.asked).then(|| {
        let message = format!(
            "job {}: iodepth={} with direct=0 is the depth at the page cache, which talks to the \
             device in its own way",
            input.first.name, depth.asked
        );
        warning(input, &RULE, &options::IODEPTH, message).hint("direct=1")
    })
}
