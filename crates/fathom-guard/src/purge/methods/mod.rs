//! One file for each family of methods.

pub(super) mod ata_erase;
pub(super) mod nvme_format;
pub(super) mod nvme_sanitize;
pub(super) mod range;
pub(super) mod scsi;
