//! The block queue.

mod device;
mod queue;

use super::Family;
use crate::audit::Observe::{EachDisk, EachQueue, Several};

/// The checks of the family `blk`.
pub(super) const FAMILY: Family = (
    include_str!("checks.toml"),
    &[
        ("blk.scheduler", EachQueue(queue::scheduler)),
        ("blk.nr_requests", EachDisk(queue::nr_requests)),
        ("blk.max_sectors", EachQueue(queue::max_sectors)),
        ("blk.rq_affinity", EachDisk(queue::rq_affinity)),
        ("blk.nomerges", EachDisk(queue::nomerges)),
        ("blk.add_random", EachDisk(queue::add_random)),
        ("blk.iostats", EachQueue(queue::iostats)),
        ("blk.wbt", EachDisk(queue::wbt)),
        ("blk.rotational", EachQueue(queue::rotational)),
        ("blk.read_ahead", EachQueue(queue::read_ahead)),
        ("blk.align", Several(device::align)),
        ("blk.512e", EachQueue(device::e512)),
        ("blk.discard", EachQueue(device::discard)),
        ("blk.integrity", EachDisk(device::integrity)),
        ("blk.cgroup", Several(device::cgroup)),
        ("blk.loop", EachQueue(device::loop_device)),
    ],
);
