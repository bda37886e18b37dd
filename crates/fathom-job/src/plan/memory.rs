//! How much memory the workers will need, so that a plan too big for the machine is found before it
//! starts.

use super::notes::{self, Notes};
use super::{Machine, PlannedJob};
use crate::direction::Direction;
use crate::options;
use crate::units::Bytes;

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
    Bytes(buffers.saturating_add(statistics).saturating_add(map))
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

/// Most memory that the jobs of one stage hold together.
pub(super) fn at_once(jobs: &[PlannedJob]) -> Bytes {
    let stages = jobs.chunk_by(|a, b| a.stage == b.stage);
    let sums = stages.map(|stage| stage.iter().map(|job| job.memory.0).fold(0, u64::saturating_add));
    Bytes(sums.max().unwrap_or_default())
}

/// Adds a finding if the machine does not have that much memory.
pub(super) fn find(jobs: &[PlannedJob], machine: &Machine, notes: &mut Notes) {
    let (needed, available) = (at_once(jobs), machine.memory_available);
    let Some(largest) = jobs.iter().max_by_key(|job| job.memory) else { return };
    if needed > available {
        let message = format!(
            "the jobs need {needed} of memory at once, job {} {} of it, and {available} are available",
            largest.name, largest.memory
        );
        notes.push(
            notes::warning(&largest.job, &options::IODEPTH, NO_MEMORY, message)
                .hint("fewer clones, a smaller depth or smaller blocks; norandommap=1 needs no random map"),
        );
    }
}
