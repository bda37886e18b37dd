//! What stands in the way of writing.

use super::Check;

/// The family.
pub(super) const CHECKS: &[Check] = &[];
