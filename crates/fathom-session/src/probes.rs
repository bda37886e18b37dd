//! How the targets of a run take I/O, as facts of its record.
//!
//! They are probed after the run: then files have their data, caches are as the
//! run left them, and the measurement is not disturbed.

use fathom_engine::probe::{Nowait, ProbeExtent, probe};
use fathom_engine::target::{OpenHow, TargetSource};
use fathom_job::plan::{Plan, PlannedFile, PlannedJob};
use fathom_results::Fact;
use std::collections::BTreeSet;
use std::os::fd::AsFd;

/// Most targets probed. Each probe reads some blocks, and thousands of files behave alike.
const TARGETS_MAX: usize = 16;
/// Largest block probed, in bytes: the kernel treats larger blocks in the same way.
const BLOCK_MAX: usize = 1 << 20;

/// Facts of the first target of each job, for each way of opening it.
pub fn facts(plan: &Plan, targets: &dyn TargetSource) -> Vec<Fact> {
    let mut asked = BTreeSet::new();
    let first = plan.jobs.iter().filter_map(|job| Some((job, job.files.first()?)));
    let new = first.filter(|(job, file)| file.is_on_machine() && asked.insert((&file.path, job.direct)));
    new.take(TARGETS_MAX).flat_map(|(job, file)| of_target(job, file, targets)).collect()
}

fn of_target(job: &PlannedJob, file: &PlannedFile, targets: &dyn TargetSource) -> Vec<Fact> {
    let how = OpenHow { direct: job.direct, ..OpenHow::default() };
    // Of a target that cannot be opened any more nothing is known.
    let Ok(target) = targets.open(&file.path, how) else { return Vec::new() };
    let block = (job.block_max().0 as usize).clamp(1, BLOCK_MAX);
    let place = ProbeExtent { offset: file.offset.0, block, blocks: file.size.0 / block as u64 };
    let probed = probe(target.fd.as_fd(), place);
    let mode = if job.direct { "direct" } else { "buffered" };
    let fact = |name: &str, value: Option<&str>, source: &str| Fact {
        name: format!("target.{}.probe.{mode}.{name}", file.path),
        value: value.map(str::to_owned),
        source: source.to_owned(),
    };
    let nowait = match probed.nowait {
        Nowait::Supported => Some("supported"),
        Nowait::Punts => Some("punts"),
        Nowait::Unknown => None,
    };
    let inline = probed.completes_inline.map(|yes| if yes { "true" } else { "false" });
    vec![
        fact("nowait", nowait, "preadv2 with RWF_NOWAIT, after the run"),
        fact("completes_inline", inline, "reads through a ring of our own, after the run"),
    ]
}
