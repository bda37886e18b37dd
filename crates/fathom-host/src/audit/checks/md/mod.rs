//! Software RAID and device-mapper.

mod array;
mod bitmap;
mod external;
mod geometry;
mod members;
mod platform;
mod stack;
mod state;
mod stripe_cache;
mod sync;
mod sync_speed;
mod threads;

use super::Check;

/// The checks of the families `md` and `dm`.
pub(super) const CHECKS: &[Check] = &[
    state::CHECK,
    sync::CHECK,
    sync_speed::CHECK,
    threads::CHECK,
    stripe_cache::CHECK,
    bitmap::CHECK,
    geometry::CHECK,
    members::CHECK,
    external::CHECK,
    stack::CHECK,
];
