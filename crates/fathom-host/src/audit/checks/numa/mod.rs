//! NUMA and memory.

pub(crate) mod memory;
mod place;

use super::Family;
use crate::audit::Observe::{EachDisk, Of, Several, Watch};

/// The checks of the families `numa` and `mem`.
pub(super) const FAMILY: Family = (
    include_str!("checks.toml"),
    &[
        ("numa.device_node", EachDisk(place::device_node)),
        ("numa.job_local", EachDisk(place::job_local)),
        ("numa.array_span", Several(place::array_span)),
        ("numa.balancing", Of("host", place::balancing)),
        ("numa.sub_node", Of("host", place::sub_node)),
        ("numa.dimms", Of("host", memory::dimms)),
        ("mem.errors", Watch(&memory::COUNTERS, &Several(memory::errors))),
        ("mem.headroom", Several(memory::headroom)),
    ],
);
