//! The interface to a drive: every command of a purge goes through it, so that a simulated drive
//! can take the drive's place.

use std::io;
use std::ops::Range;
use std::time::Duration;

use fathom_device::nvme::{AdminCommand, AdminCompletion};

pub use crate::sys::Emptying;
pub use crate::sys::scsi::{DataDirection, ScsiCommand, ScsiReply};

/// NVMe admin commands, by the namespace's own descriptor.
pub trait AdminChannel {
    /// The number of the namespace that is open.
    fn namespace_id(&self) -> io::Result<u32>;
    /// Sends one command; the drive's refusal is a status, not an error.
    fn admin(&self, command: AdminCommand, data: &mut [u8]) -> io::Result<AdminCompletion>;
}

/// SCSI commands, and ATA commands inside them.
pub trait Scsi {
    /// Sends one command; the drive's refusal is a status, not an error.
    fn scsi(&self, command: &ScsiCommand, data: &mut [u8]) -> io::Result<ScsiReply>;
}

/// Requests of the kernel's block layer.
pub trait BlockInterface {
    /// Size in bytes now.
    fn size_bytes(&self) -> io::Result<u64>;
    /// Empties a range, in bytes.
    fn empty(&self, range: Range<u64>, how: Emptying) -> io::Result<()>;
    /// Reads what the device (not the page cache) holds. Offset and length
    /// are whole blocks of 4 KiB.
    fn read_at(&self, offset_bytes: u64, into: &mut [u8]) -> io::Result<()>;
}

/// An open drive, with all three interfaces.
pub trait DriveInterfaces: AdminChannel + Scsi + BlockInterface {
    /// What it is called in messages.
    fn name(&self) -> &str;
    /// Lets time pass between two questions.
    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }
}
