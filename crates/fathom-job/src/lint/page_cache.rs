//! A file that fits in memory is read from memory (contract V-11), unless each pass over it begins with its pages dropped.

use super::{LintInput, LintRule, warning};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::options;
use crate::plan::reads_cold;

pub(super) const RULE: LintRule = LintRule { code: "page-cache", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let footprint = input.footprint();
    let fits = footprint < input.machine.memory && input.first.uses(Direction::Read);
    (input.buffered() && fits && !reads_cold(input.clones)).then(|| {
        let message = format!(
            "job {} reads {footprint} with direct=0, and this machine has {} of memory: repeated \
             reads come from the page cache",
            input.first.name, input.machine.memory
        );
        warning(input, &RULE, &options::SIZE, message)
            .hint("direct=1, or a size of at least twice the memory")
    })
}
