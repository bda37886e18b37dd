//! Drives: NVMe, and SATA or SAS.

use super::Check;

/// The family.
pub(super) const CHECKS: &[Check] = &[];
