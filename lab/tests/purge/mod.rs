//! Purges of real drives, proven by reading.
//!
//! QEMU's NVMe drive has formats and deallocation, but no Sanitize. Its disks and scsi_debug have
//! no FORMAT UNIT, no SANITIZE and no ATA security. A method that they do not have must be refused for
//! that reason. Simulated drives prove that the methods work where they exist (`purge_simulated` of
//! fathom-guard).

mod command;
mod nvme;
pub mod ranges;
mod refused;
mod work;
