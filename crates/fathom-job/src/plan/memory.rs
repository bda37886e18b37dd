//! What a worker will need of memory, so that a plan too big for the machine
//! is seen before it starts.

use super::PlannedJob;
use crate::direction::Direction;
use crate::options;
use crate::units::Bytes;

/// Buffers are mapped in whole pages.
const PAGE: u64 = 4096;
/// One latency histogram: 4,352 counters of 8 bytes (relative error 0.4 %).
const HISTOGRAM: u64 = 34 << 10;
/// The window that is filling, and the total.
const WINDOWS: u64 = 2;

/// Buffers and statistics of one clone. Random offsets need no map, whatever
/// the size of the target: they come from a permutation.
pub(super) fn estimate(planned: &PlannedJob) -> Bytes {
    let buffer = planned.block_max().0.next_multiple_of(PAGE);
    let buffers = buffer.saturating_mul(u64::from(planned.depth.reachable));
    let directions = Direction::ALL.into_iter().filter(|d| planned.uses(*d)).count() as u64;
    Bytes(buffers.saturating_add(directions * metrics(planned) * WINDOWS * HISTOGRAM))
}

/// Latencies that are kept: total always, completion and submission unless
/// the job drops them.
fn metrics(planned: &PlannedJob) -> u64 {
    let job = &planned.job;
    let reduced = job.get(&options::GTOD_REDUCE);
    let kept = |dropped: bool| u64::from(!dropped && !reduced);
    1 + kept(job.get(&options::DISABLE_CLAT)) + kept(job.get(&options::DISABLE_SLAT))
}
