//! Virtual memory, which affects buffered I/O.

mod meminfo;
mod memory;

use super::Family;
use crate::audit::Observe::{Of, Several, Watch};

/// The checks of the family `vm`.
pub(super) const FAMILY: Family = (
    include_str!("checks.toml"),
    &[
        ("vm.dirty", Several(memory::dirty)),
        ("vm.swappiness", Watch(&[memory::VMSTAT], &Of("host", memory::swappiness))),
        ("vm.thp", Of("host", memory::thp)),
        ("vm.hugepages", Of("host", memory::hugepages)),
        ("vm.cache_cold", Several(memory::cache_cold)),
    ],
);
