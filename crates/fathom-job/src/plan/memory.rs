//! How much memory the workers will need, so that a plan too big for the machine is found before it
//! starts.

use super::notes::{self, Notes};
use super::target::{TargetKind, simulated_model};
use super::{Machine, PlannedJob, VerifyPlan};
use crate::direction::Direction;
use crate::options;
use crate::units::Bytes;
use fathom_sim::{DriveModel, MEMORY_BYTES_MAX};
use std::collections::BTreeMap;

/// Code of the finding that a plan does not fit. It is a warning of the plan, because the caller
/// decides whether such a plan may run: fio would start it.
pub const NO_MEMORY: &str = "no-memory";

/// Buffers are mapped in whole pages.
const PAGE: u64 = 4096;
/// One latency histogram: 4,352 counters of 4 bytes (relative error 0.4 %).
const HISTOGRAM: u64 = 17 << 10;
/// The window that is filling, and the one that is saved.
const WINDOWS: u64 = 2;

/// Buffers, statistics and random maps of one clone.
pub(super) fn estimate(planned: &PlannedJob) -> Bytes {
    let buffer = planned.transfer_max().0.next_multiple_of(PAGE);
    // A job that reads and writes has buffers for both.
    let kinds = 1 + u64::from(planned.uses(Direction::Read) && planned.uses(Direction::Write));
    let buffers = buffer.saturating_mul(u64::from(planned.depth.reachable)).saturating_mul(kinds);
    let directions = Direction::ALL.into_iter().filter(|d| planned.uses(*d)).count() as u64;
    let statistics = directions * metrics(planned) * WINDOWS * HISTOGRAM;
    let map = if planned.keeps_random_map() { map(planned) } else { 0 };
    let verify = planned.verify.as_ref().map_or(0, |verify| verification(planned, verify));
    Bytes(buffers.saturating_add(statistics).saturating_add(map).saturating_add(verify))
}

/// Of a verifying job, bytes for each block that it may have written: the list of writes with its growth, and the map
/// (docs/adr/0024).
const WRITTEN: u64 = 64;
/// For each block, the write of a state that is loaded.
const LOADED: u64 = 32;
/// Buffers for each thread that checks: one that is checked, and one that waits.
const BUFFERS_PER_CHECKER: u64 = 2;

/// What was written, the state that is loaded, and the buffers of the threads that check.
fn verification(planned: &PlannedJob, verify: &VerifyPlan) -> u64 {
    let loaded = if verify.loads_state { LOADED } else { 0 };
    let written = if planned.uses(Direction::Write) || verify.loads_state { WRITTEN } else { 0 };
    let block = planned.block_min().0.max(1);
    let blocks = planned.files.iter().map(|file| file.size.0 / block).fold(0, u64::saturating_add);
    let buffers = match verify.threads {
        0 => 0,
        _ if !verify.checks() => 0,
        threads => (u64::from(threads) * BUFFERS_PER_CHECKER).max(u64::from(planned.depth.reachable)),
    };
    let buffers = buffers.saturating_mul(planned.transfer_max().0);
    blocks.saturating_mul(written + loaded).saturating_add(buffers)
}

/// Latencies that are kept: total always, completion and submission unless
/// the job drops them.
fn metrics(planned: &PlannedJob) -> u64 {
    let job = &planned.job;
    let reduced = job.get(&options::GTOD_REDUCE);
    let kept = |dropped: bool| u64::from(!dropped && !reduced);
    1 + kept(job.get(&options::DISABLE_CLAT)) + kept(job.get(&options::DISABLE_SLAT))
}

/// A bit for each smallest block of each file.
fn map(planned: &PlannedJob) -> u64 {
    let block = planned.block_min().0.max(1);
    let blocks = planned.files.iter().map(|file| file.size.0 / block);
    blocks.map(|blocks| blocks.div_ceil(64) * 8).fold(0, u64::saturating_add)
}

impl PlannedJob {
    /// Whether it remembers which blocks of a pass it has used. With blocks of one size the offsets
    /// come from a permutation, which needs no memory; with one size for reads and another for
    /// writes, no map could cover both completely.
    pub fn keeps_random_map(&self) -> bool {
        let used = || Direction::ALL.into_iter().filter(|&d| self.uses(d));
        let is_aligned = used().all(|d| self.align[d].0 == self.block[d].min().0);
        let is_mixed = used().any(|d| self.block[d].min() != self.block[d].max());
        self.rw.random && !self.draws_freely() && is_aligned && is_mixed
    }
}

/// Most memory that the jobs of one stage hold together, with the simulated drives, which last for the run.
pub(super) fn at_once(jobs: &[PlannedJob]) -> Bytes {
    let stages = jobs.chunk_by(|a, b| a.stage == b.stage);
    let sums = stages.map(|stage| stage.iter().map(|job| job.memory.0).fold(0, u64::saturating_add));
    Bytes(sums.max().unwrap_or_default().saturating_add(of_drives(jobs)))
}

/// The simulated drives, each once: jobs with the same one share it.
fn drives(jobs: &[PlannedJob]) -> BTreeMap<&str, DriveModel> {
    let files = jobs.iter().flat_map(|job| &job.files).filter(|file| file.kind == TargetKind::Simulated);
    files.filter_map(|file| Some((file.path.as_str(), simulated_model(&file.path)?.ok()?))).collect()
}

/// What the maps of all simulated drives take.
fn of_drives(jobs: &[PlannedJob]) -> u64 {
    let bytes = |model: &DriveModel| model.memory_bytes().unwrap_or(u64::MAX);
    drives(jobs).values().map(bytes).fold(0, u64::saturating_add)
}

/// Adds a finding for each simulated drive whose `memory=` allows it more than there is.
fn find_allowances(jobs: &[PlannedJob], machine: &Machine, notes: &mut Notes) {
    let Some(job) = jobs.first() else { return };
    for (name, model) in drives(jobs) {
        let (most, needed) = (model.memory_bytes_max(), model.memory_bytes().unwrap_or(u64::MAX));
        if most <= MEMORY_BYTES_MAX || Bytes(most) <= machine.memory_available {
            continue;
        }
        let (most, needed, available) = (Bytes(most), Bytes(needed), machine.memory_available);
        let message = format!(
            "{name}: memory={most} is more than the {available} that are available; it needs {needed}"
        );
        let hint = "memory= is the most that the simulated drive may take; without it, 4 GiB";
        notes.push(notes::warning(&job.job, &options::FILENAME, NO_MEMORY, message).hint(hint));
    }
}

/// Simulated drives leave this share of what is available: their maps are touched all over, and the kernel's figure is an estimate.
const RESERVE_SHARE: u64 = 16;

/// The memory that jobs with simulated drives of this size may take.
fn for_jobs(machine: &Machine, drives: Bytes) -> Bytes {
    let available = machine.memory_available.0;
    Bytes(if drives.0 == 0 { available } else { available - available / RESERVE_SHARE })
}

/// Adds a finding if the machine does not have that much memory.
pub(super) fn find(jobs: &[PlannedJob], machine: &Machine, notes: &mut Notes) {
    find_allowances(jobs, machine, notes);
    let (needed, drives) = (at_once(jobs), Bytes(of_drives(jobs)));
    let available = for_jobs(machine, drives);
    let Some(largest) = jobs.iter().max_by_key(|job| job.memory) else { return };
    if needed <= available {
        return;
    }
    let (most, hint) = if drives > largest.memory {
        let hint = "a scale such as /64, a larger mapping unit such as unit=16k, or fewer drives need less";
        (format!("their simulated drives {drives}"), hint)
    } else {
        let hint = "fewer clones, a smaller depth or smaller blocks; norandommap=1 needs no random map";
        (format!("job {} {}", largest.name, largest.memory), hint)
    };
    let message =
        format!("the jobs need {needed} of memory at once, {most} of it, and {available} are available");
    notes.push(notes::warning(&largest.job, &options::IODEPTH, NO_MEMORY, message).hint(hint));
}
