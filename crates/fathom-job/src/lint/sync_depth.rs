//! A sync that the worker waits for empties the queue, whatever `iodepth` says.

use super::{LintInput, LintRule, warning};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::plan::WaitedSync;

pub(super) const RULE: LintRule = LintRule { code: "sync-depth", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let WaitedSync { option, writes } = WaitedSync::of(input.job(), input.engine)?;
    let depth = input.first.depth.reachable;
    (input.first.uses(Direction::Write) && depth > writes).then(|| {
        let each = if writes == 1 { "each write".to_owned() } else { format!("every {writes} writes") };
        let left = if writes == 1 { "1 write is".to_owned() } else { format!("{writes} writes are") };
        let message = format!(
            "job {} asks for {depth} I/Os in flight and for a sync after {each} ({}={writes}): the worker of \
             ioengine={} waits for each sync, so about {left} in flight",
            input.first.name, option.def.name, input.engine.name
        );
        warning(input, &RULE, option, message)
            .hint("ioengine=io_uring queues syncs beside the writes; or numjobs= for more writers")
    })
}
