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

/// The checks of the family `irq`. Only `spread` is made again at the end of a
/// run, because it shows only while I/O runs. The others judge settings that
/// were there before the run, and would taint it for them.
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
