//! The file system of a target.

use super::Check;

/// The family.
pub(super) const CHECKS: &[Check] = &[];
