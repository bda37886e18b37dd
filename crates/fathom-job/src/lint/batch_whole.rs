//! A batch as deep as the queue: it is filled and emptied in turn, and is never kept at its depth.

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::option::Key;
use crate::options;

pub(super) const RULE: LintRule = LintRule { code: "batch-whole", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let depth = &input.first.depth;
    if depth.reachable < 2 || input.first.compat_fio {
        return None;
    }
    let is_whole = |batch: Option<u32>| batch.is_some_and(|batch| batch >= depth.reachable);
    let waits: Option<(&Key<Option<u32>>, &str)> = if is_whole(depth.complete_min) {
        Some((&options::IODEPTH_BATCH_COMPLETE_MIN, "nothing is submitted until all of them are complete"))
    } else if is_whole(depth.submit_batch) {
        Some((&options::IODEPTH_BATCH, "nothing is submitted until that many are ready"))
    } else {
        None
    };
    let (key, why) = waits?;
    let reachable = depth.reachable;
    let message = format!(
        "job {}: {} is as large as the depth of {reachable}, so {why}: the queue runs empty before it is filled again, \
         and is less deep on average",
        input.first.name, key.def.name
    );
    Some(note(input, &RULE, key, message).hint(format!(
        "{}={} keeps at least half of the queue in flight",
        key.def.name,
        reachable / 2
    )))
}
