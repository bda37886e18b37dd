//! The block queue.

mod add_random;
mod align;
mod cgroup;
mod discard;
mod e512;
mod integrity;
mod iostats;
#[path = "loop.rs"]
mod loop_device;
mod max_sectors;
mod nomerges;
mod nr_requests;
mod read_ahead;
mod rotational;
mod rq_affinity;
mod scheduler;
mod setting;
mod wbt;

use super::Check;

/// The checks of the family `blk`.
pub(super) const CHECKS: &[Check] = &[
    scheduler::CHECK,
    nr_requests::CHECK,
    max_sectors::CHECK,
    rq_affinity::CHECK,
    nomerges::CHECK,
    add_random::CHECK,
    iostats::CHECK,
    wbt::CHECK,
    rotational::CHECK,
    read_ahead::CHECK,
    align::CHECK,
    e512::CHECK,
    discard::CHECK,
    integrity::CHECK,
    cgroup::CHECK,
    loop_device::CHECK,
];
