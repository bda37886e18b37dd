//! Purges of real drives, proven by reading.
//!
//! QEMU's NVMe drive has formats and deallocation and no Sanitize; its disks and scsi_debug have
//! neither FORMAT UNIT nor SANITIZE nor ATA security. What they do not have must be refused for that
//! reason; that it works where it exists is proven on simulated drives (`purge_simulated` of
//! fathom-guard).

mod command;
mod nvme;
mod ranges;
mod refused;
mod work;
