//! Virtual memory: what buffered I/O meets on its way.

mod cache_cold;
mod dirty;
mod hugepages;
mod meminfo;
mod swappiness;
mod thp;

use super::Check;

/// The family.
pub(super) const CHECKS: &[Check] =
    &[dirty::CHECK, swappiness::CHECK, thp::CHECK, hugepages::CHECK, cache_cold::CHECK];
