//! Interrupts.

mod load;
mod place;
mod table;

use super::Family;
use crate::audit::Observe::{EachDisk, Of, Several, Watch};

/// The checks of the family `irq`. Only `spread` is made again at the end of a
/// run, because it shows only while I/O runs. The others judge settings that
/// were there before the run, and would taint it for them.
pub(super) const FAMILY: Family = (
    include_str!("checks.toml"),
    &[
        ("irq.managed", EachDisk(place::managed)),
        ("irq.unmanaged_place", EachDisk(place::unmanaged_place)),
        ("irq.spread", Watch(&[table::INTERRUPTS], &Several(place::spread))),
        ("irq.daemon", Of("host", place::daemon)),
        ("irq.queue_map", EachDisk(place::queue_map)),
        ("irq.device_threads", Watch(&[load::STAT], &Of("host", load::device_threads))),
        ("irq.coalescing", Several(load::coalescing)),
        ("irq.threaded", Several(load::threaded)),
        ("irq.softirq_load", Watch(&["/proc/stat"], &Of("host", load::softirq_load))),
    ],
);
