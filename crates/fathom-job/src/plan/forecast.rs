//! What a clone will probably move, and how long that takes.
//!
//! Most jobs are bounded either in bytes or in time, and the target's speed
//! decides the other. A rate for every direction in use bounds both, provided
//! that the target keeps up.

use super::visits::one_block;
use super::{BlockSizes, Expected, PlannedJob, Rate};
use crate::direction::Direction;
use crate::units::{Bytes, Nanos};
use crate::value::Mix;

/// What can be foreseen from the end rule and the rate.
pub(super) fn expected(planned: &PlannedJob) -> Expected {
    let end = &planned.end;
    let rate = bytes_per_second(planned);
    let moved_in = |time: Nanos| rate.map(|rate| whole_blocks(planned, rate * time.as_secs_f64()));
    let measured = |time: Nanos| Nanos(before(planned).saturating_add(time.0));
    let (bytes, time) = match (end.time, bounded_bytes(planned), rate) {
        (Some(time), _, _) if end.time_based => (moved_in(time), Some(measured(time))),
        (None, bytes, None) => (bytes, None),
        (limit, Some(bytes), Some(rate)) => {
            let paced = Nanos((bytes.0 as f64 / rate * 1e9) as u64);
            let time = limit.map_or(paced, |limit| limit.min(paced));
            (moved_in(time).map(|moved| moved.min(bytes)), Some(measured(time)))
        }
        _ => (None, None),
    };
    Expected { bytes, time }
}

impl PlannedJob {
    /// I/Os per second that the rate asks for in this direction; `None` without a rate. For blocks
    /// of several sizes it is the mean.
    pub fn ios_asked(&self, direction: Direction) -> Option<f64> {
        Some(match self.pace.rate[direction]? {
            Rate::Ios(ios) => ios as f64,
            Rate::Bytes(bytes) => bytes as f64 / mean(&self.block[direction]),
        })
    }
}

/// Waits and ramp of a job that waits for no other.
fn before(planned: &PlannedJob) -> u64 {
    planned.start_delay.0.max(planned.idle_before.0).saturating_add(planned.ramp.0)
}

/// Bytes per second of the schedules of all directions in use together. Pauses that are not made up
/// for, other jobs and a search for a depth are not foreseen.
fn bytes_per_second(planned: &PlannedJob) -> Option<f64> {
    let pace = &planned.pace;
    if pace.think.is_some() || pace.goal.is_some() || pace.flow.is_some() {
        return None;
    }
    let used = Direction::ALL.into_iter().filter(|d| planned.uses(*d));
    let rates: Option<Vec<f64>> = used.map(|d| rate_of(planned, d)).collect();
    let rates = rates.filter(|rates| !rates.is_empty())?;
    Some(match planned.rw.mix {
        // Each block is trimmed, then written: the slower of the two decides.
        Mix::TrimWrite => rates.iter().copied().fold(f64::INFINITY, f64::min) * rates.len() as f64,
        _ => rates.iter().sum(),
    })
}

fn rate_of(planned: &PlannedJob, direction: Direction) -> Option<f64> {
    Some(match planned.pace.rate[direction]? {
        Rate::Bytes(bytes) => bytes as f64,
        Rate::Ios(ios) => ios as f64 * mean(&planned.block[direction]),
    })
}

/// The bytes of a schedule: the first I/O is due at once, and each moves a whole block.
fn whole_blocks(planned: &PlannedJob, bytes: f64) -> Bytes {
    let bytes = bytes.round() as u64;
    match one_block(planned) {
        Some(block) => Bytes(bytes.checked_next_multiple_of(block.0).unwrap_or(bytes).max(block.0)),
        None => Bytes(bytes).max(planned.block_min()),
    }
}

/// The mean block over many I/Os.
pub(super) fn mean(block: &BlockSizes) -> f64 {
    match block {
        BlockSizes::Fixed(size) => size.0 as f64,
        BlockSizes::Range { low, high } => low.0 as f64 * (1 + high.0 / low.0) as f64 / 2.0,
        BlockSizes::Split(parts) => {
            parts.iter().map(|(size, percent)| size.0 as f64 * f64::from(*percent) / 100.0).sum()
        }
    }
}

fn bounded_bytes(planned: &PlannedJob) -> Option<Bytes> {
    let bytes = planned.end.bytes?;
    let Some(ios) = planned.end.ios else {
        return Some(bytes);
    };
    match one_block(planned) {
        Some(block) => Some(bytes.min(Bytes(ios.saturating_mul(block.0)))),
        None if ios.saturating_mul(planned.block_min().0) >= bytes.0 => Some(bytes),
        None => None,
    }
}
