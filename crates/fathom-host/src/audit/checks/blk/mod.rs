//! The block queue.

mod scheduler;

use super::Check;

/// The family.
pub(super) const CHECKS: &[Check] = &[scheduler::CHECK];
