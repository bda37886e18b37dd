//! Notes after a run which ranges it has written whole.

use super::counter::WriteCounters;
use super::ranges::{CoveredRange, Pattern, add};
use super::{Coverage, Covered, FORMAT, last_purge, store};
use crate::exit;
use crate::here::Here;
use crate::notice::Message;
use fathom_device::device::{DevNumber, Identity};
use fathom_device::target;
use fathom_guard::{Access, Guard};
use fathom_job::direction::Direction;
use fathom_job::plan::passthrough;
use fathom_job::plan::{Plan, PlannedFile, PlannedJob, TargetKind};
use fathom_results::{JobResult, RunResult};
use fathom_text::carried::to_path;
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

/// What was known of the devices before a run that writes to them, and must be asked before its first I/O.
pub struct BeforeRun(Vec<(Identity, Covered)>);

impl BeforeRun {
    /// Of every device that the guard admitted for writing. A disk and its node for commands are one device.
    pub fn of(guard: &Guard, here: &Here) -> BeforeRun {
        let mut known: Vec<(Identity, Covered)> = Vec::new();
        for target in guard.all().iter().filter(|target| target.access() == Access::Write) {
            let Some(device) = target.identity() else { continue };
            if known.iter().all(|(known, _)| known.dev != device.dev) {
                known.push((device.clone(), Covered::of(here.root(), device)));
            }
        }
        BeforeRun(known)
    }
}

/// Notes what the run has written.
pub fn note(before: BeforeRun, plan: &Plan, run: &RunResult, here: &Here) {
    if before.0.is_empty() {
        return;
    }
    let root = here.root();
    let numbers = device_numbers(plan, |path| target::inspect(root, path).ok()?.device);
    for (device, covered) in before.0 {
        let mut ranges = match covered {
            Covered::Still(known) => known.ranges,
            Covered::Nothing | Covered::Void(_) => Vec::new(),
        };
        let is_there = |file: &&PlannedFile| numbers.get(file.path.as_str()) == Some(&device.dev);
        let jobs = || plan.jobs.iter().filter(|job| job.files.iter().any(|file| is_there(&file)));
        if jobs().any(|job| job.issues(Direction::Trim) || !writes_data(job)) {
            ranges.clear();
        }
        let done = |job: &PlannedJob| run.jobs.iter().find(|done| done.planned.id == job.id);
        let covered = jobs().filter_map(|job| covered_by(job, done(job)?));
        covered.for_each(|range| add(&mut ranges, range));
        let is_cached = |job: &&PlannedJob| !job.direct && !sends_commands(job);
        let cached = jobs().find(is_cached).and_then(|job| job.files.iter().find(is_there));
        if let Some(file) = cached.filter(|_| !is_stuck(run)) {
            written_back(&to_path(&file.path));
        }
        let (purge_unix_s, counters) = (last_purge(&device), WriteCounters::read(root, &device));
        let known = Coverage { format: FORMAT, device, purge_unix_s, ranges, counters };
        if let Err(e) = store(&known) {
            let name = &known.device.kernel_name;
            here.tell(Message::warning(format!("what was written to {name} was not noted: {e}")));
        }
    }
}

/// The devices of the jobs by the paths that the jobs have for them. Several paths may lead to one device: names by serial number,
/// and the node that takes its commands.
fn device_numbers(plan: &Plan, number: impl Fn(&Path) -> Option<DevNumber>) -> HashMap<&str, DevNumber> {
    let mut numbers = HashMap::new();
    for file in plan.jobs.iter().flat_map(|job| &job.files) {
        let is_device = matches!(file.kind, TargetKind::Block | TargetKind::Namespace | TargetKind::ScsiNode);
        if is_device
            && !numbers.contains_key(file.path.as_str())
            && let Some(number) = number(&to_path(&file.path))
        {
            numbers.insert(file.path.as_str(), number);
        }
    }
    numbers
}

fn sends_commands(job: &PlannedJob) -> bool {
    job.engine_def().is_some_and(|engine| engine.sends_commands())
}

/// Do its writes, if it has some, leave data? Commands for zeroes leave none (`write_mode`, `sg_write_mode`).
fn writes_data(job: &PlannedJob) -> bool {
    !job.writes() || job.engine_def().is_none_or(|engine| passthrough::writes_data(&job.job, engine))
}

/// Has a target not answered? Then it is not asked to write back what is in memory either.
fn is_stuck(run: &RunResult) -> bool {
    let failures = run.jobs.iter().filter_map(|job| job.outcome.as_ref()?.failure.as_ref());
    failures.into_iter().any(exit::is_stuck)
}

/// Has what was written through the page cache written to the device: the kernel counts it only then, and the counters would
/// look as if something else had written it later. It would be written at the last close in any case.
fn written_back(device: &Path) {
    // Without this, the note does not count, and the next run writes again.
    let _ = File::open(device).and_then(|device| device.sync_all());
}

/// The range that a job has written whole, if it has.
fn covered_by(planned: &PlannedJob, done: &JobResult) -> Option<CoveredRange> {
    let is_whole = done.outcome.as_ref().is_some_and(|outcome| outcome.failure.is_none());
    let written = &done.totals.directions.write;
    let mut files = planned.files.iter();
    let (Some(file), None) = (files.next(), files.next()) else { return None };
    if !is_whole || written.errors > 0 || file.size.0 == 0 || !planned.writes_all() || !writes_data(planned) {
        return None;
    }
    let passes = u32::try_from(written.bytes / file.size.0).unwrap_or(u32::MAX);
    (passes > 0).then(|| CoveredRange {
        start_bytes: file.offset.0,
        end_bytes: file.offset.0 + file.size.0,
        pattern: if planned.rw.random { Pattern::Random } else { Pattern::Sequential },
        block_bytes: planned.block.write.max().0,
        passes,
    })
}
