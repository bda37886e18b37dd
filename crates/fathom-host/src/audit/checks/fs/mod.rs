//! File systems.

mod atime;
mod barrier;
mod dio;
mod discard;
mod fill;
mod fs_type;
mod geometry;
mod lazyinit;
mod lie;
mod mode;
mod mounted;

use super::Check;

/// The checks of the family `fs`.
pub(super) const CHECKS: &[Check] = &[
    fs_type::CHECK,
    atime::CHECK,
    discard::CHECK,
    barrier::CHECK,
    geometry::CHECK,
    mode::CHECK,
    lazyinit::CHECK,
    fill::CHECK,
    dio::CHECK,
    lie::CHECK,
];
