//! An NVMe command as the kernel takes it (linux/nvme_ioctl.h), and the one that is sent at once.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

const FLUSH: u8 = 0x00;

/// `NVME_IOCTL_IO_CMD`: `_IOWR('N', 0x43, struct nvme_passthru_cmd)`.
const COMMAND_AT_ONCE: libc::Ioctl = libc::_IOWR::<NvmeCommand>(b'N' as u32, 0x43);

/// `struct nvme_uring_cmd` and, for a command that is sent at once, `struct nvme_passthru_cmd`: 72 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct NvmeCommand {
    pub opcode: u8,
    pub flags: u8,
    pub reserved: u16,
    pub nsid: u32,
    pub cdw2: u32,
    pub cdw3: u32,
    pub metadata: u64,
    pub addr: u64,
    pub metadata_len: u32,
    pub data_len: u32,
    /// Command words 10 to 15.
    pub cdw10_15: [u32; 6],
    pub timeout_ms: u32,
    pub reserved2: u32,
}

const _: () = assert!(size_of::<NvmeCommand>() == 72);

impl NvmeCommand {
    /// Flush.
    pub fn flush(nsid: u32) -> NvmeCommand {
        NvmeCommand { opcode: FLUSH, nsid, ..NvmeCommand::default() }
    }
}

/// Sends a flush and waits for it: what fsync(2) is for a file.
pub fn flush(fd: BorrowedFd<'_>, nsid: u32) -> rustix::io::Result<()> {
    let mut command = NvmeCommand::flush(nsid);
    // SAFETY: the command is the kernel's own layout, without buffers, and outlives the call.
    match unsafe { libc::ioctl(fd.as_raw_fd(), COMMAND_AT_ONCE, &raw mut command) } {
        0 => Ok(()),
        status if status > 0 => Err(rustix::io::Errno::IO),
        _ => {
            Err(rustix::io::Errno::from_io_error(&io::Error::last_os_error())
                .unwrap_or(rustix::io::Errno::IO))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn the_request_is_the_kernels_and_a_file_takes_no_commands() {
        assert_eq!(COMMAND_AT_ONCE, 0xc048_4e43);
        let file = tempfile::tempfile().unwrap();
        assert_eq!(flush(file.as_fd(), 1), Err(rustix::io::Errno::NOTTY));
    }
}
