//! Interrupts.

mod coalescing;
mod daemon;
mod device_threads;
mod managed;
mod queue_map;
mod softirq_load;
mod spread;
mod table;
mod threaded;
mod unmanaged_place;

use super::Check;

/// The family. `spread` is the half of the placing that only shows while I/O
/// runs, and is made again at the end of a run; the other half would then
/// taint it for how the machine has been all along.
pub(super) const CHECKS: &[Check] = &[
    managed::CHECK,
    unmanaged_place::CHECK,
    spread::CHECK,
    daemon::CHECK,
    queue_map::CHECK,
    device_threads::CHECK,
    coalescing::CHECK,
    threaded::CHECK,
    softirq_load::CHECK,
];
