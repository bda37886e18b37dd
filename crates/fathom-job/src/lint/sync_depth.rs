//! A sync that the worker waits for empties the queue, whatever `iodepth` says.

use super::{LintInput, LintRule, warning};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::options;

pub(super) const RULE: LintRule = LintRule { code: "sync-depth", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let job = input.job();
    let every = [(&options::FSYNC, "fsync"), (&options::FDATASYNC, "fdatasync")];
    let every = every.into_iter().map(|(key, name)| (job.get(key), key, name)).filter(|(n, ..)| *n > 0);
    let (writes, key, name) = every.min_by_key(|(writes, ..)| *writes)?;
    let depth = input.first.depth.reachable;
    let engine = input.engine;
    let waits = !engine.queues_syncs && !engine.diskless && input.first.uses(Direction::Write);
    (waits && u64::from(depth) > u64::from(writes)).then(|| {
        let each = if writes == 1 { "each write".to_owned() } else { format!("every {writes} writes") };
        let left = if writes == 1 { "1 write is".to_owned() } else { format!("{writes} writes are") };
        let message = format!(
            "job {} asks for {depth} I/Os in flight and for a sync after {each} ({name}={writes}): the worker of \
             ioengine={} waits for each sync, so about {left} in flight",
            input.first.name, engine.name
        );
        warning(input, &RULE, key, message)
            .hint("ioengine=io_uring queues syncs beside the writes; or numjobs= for more writers")
    })
}
