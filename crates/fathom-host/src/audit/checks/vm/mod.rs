//! Virtual memory, limits, platform and services.

use super::Check;

/// The family.
pub(super) const CHECKS: &[Check] = &[];
