//! A real drive, by a descriptor that the guard gave.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::ops::Range;
use std::os::unix::fs::FileExt;

use super::drive::{AdminChannel, BlockInterface, DriveInterfaces, Emptying, Scsi, ScsiCommand, ScsiReply};
use crate::{Admitted, OpenFlags};
use fathom_device::nvme::{AdminCommand, AdminCompletion};
use fathom_device::sys;

/// Memory aligned to this is aligned enough for any device's O_DIRECT.
const ALIGN_BYTES: usize = 4096;

/// An admitted block device, open.
#[derive(Debug)]
pub struct OpenDrive {
    name: String,
    file: File,
}

impl OpenDrive {
    /// Opens what was admitted; for writing only if it was admitted for that. The page cache is
    /// bypassed, because its content stays the same after a format.
    pub fn open(admitted: &Admitted, write: bool) -> io::Result<Self> {
        let how = |direct| OpenFlags { write, direct, ..OpenFlags::default() };
        let fd = match admitted.open(how(true)) {
            Err(e) if e.raw_os_error() == Some(libc::EINVAL) => admitted.open(how(false))?,
            opened => opened?,
        };
        Ok(Self { name: admitted.path().display().to_string(), file: fd.into() })
    }

    pub(super) fn reread_partitions(&self) -> io::Result<()> {
        crate::sys::reread_partitions(&self.file)
    }
}

impl AdminChannel for OpenDrive {
    fn namespace_id(&self) -> io::Result<u32> {
        sys::nvme::namespace_id(&self.file)
    }

    fn admin(&self, command: AdminCommand, data: &mut [u8]) -> io::Result<AdminCompletion> {
        sys::nvme::admin(&self.file, command, data)
    }
}

impl Scsi for OpenDrive {
    fn scsi(&self, command: &ScsiCommand, data: &mut [u8]) -> io::Result<ScsiReply> {
        crate::sys::scsi::send(&self.file, command, data)
    }
}

impl BlockInterface for OpenDrive {
    fn size_bytes(&self) -> io::Result<u64> {
        (&self.file).seek(SeekFrom::End(0))
    }

    fn empty(&self, range: Range<u64>, how: Emptying) -> io::Result<()> {
        crate::sys::empty(&self.file, range, how)
    }

    fn read_at(&self, offset_bytes: u64, into: &mut [u8]) -> io::Result<()> {
        sys::forget_cached(&self.file, offset_bytes, into.len() as u64);
        let mut memory = vec![0u8; into.len() + ALIGN_BYTES];
        let start = memory.as_ptr().align_offset(ALIGN_BYTES);
        let aligned = &mut memory[start..start + into.len()];
        self.file.read_exact_at(aligned, offset_bytes)?;
        into.copy_from_slice(aligned);
        Ok(())
    }
}

impl DriveInterfaces for OpenDrive {
    fn name(&self) -> &str {
        &self.name
    }
}
