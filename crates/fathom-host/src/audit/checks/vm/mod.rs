//! Virtual memory, which affects buffered I/O.

mod cache_cold;
mod dirty;
mod hugepages;
mod meminfo;
mod swappiness;
mod thp;

use super::Check;

/// The checks of the family `vm`.
pub(super) const CHECKS: &[Check] =
    &[dirty::CHECK, swappiness::CHECK, thp::CHECK, hugepages::CHECK, cache_cold::CHECK];
