//! Interrupts.

use super::Check;

/// The family.
pub(super) const CHECKS: &[Check] = &[];
