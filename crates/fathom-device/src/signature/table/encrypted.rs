//! Encrypted volumes. The second header of LUKS2 is in spares.rs.

use super::Entry;
use super::Place::Start;

#[rustfmt::skip]
pub(super) const TABLE: &[Entry] = &[
    Entry("LUKS", Start(0), b"LUKS\xba\xbe"),
    Entry("BitLocker", Start(3), b"-FVE-FS-"),
];
