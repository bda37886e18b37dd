//! What else is going on.

use super::Check;

/// The family.
pub(super) const CHECKS: &[Check] = &[];
