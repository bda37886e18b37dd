//! Software RAID and device-mapper.

use super::Check;

/// The family.
pub(super) const CHECKS: &[Check] = &[];
