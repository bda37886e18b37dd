//! Memory and NUMA nodes.

use super::Check;

/// The family.
pub(super) const CHECKS: &[Check] = &[];
