//! The way through PCIe.

use super::Check;

/// The family.
pub(super) const CHECKS: &[Check] = &[];
