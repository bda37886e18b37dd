//! Processors and power.

mod governor;
mod throttle;

use super::Check;

/// The family.
pub(super) const CHECKS: &[Check] = &[governor::CHECK, throttle::CHECK];
