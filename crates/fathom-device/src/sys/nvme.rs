//! NVMe admin commands by `NVME_IOCTL_ADMIN_CMD` (linux/nvme_ioctl.h).
//!
//! Works on a controller's node and on a namespace's; the kernel asks for
//! `CAP_SYS_ADMIN` for all but a few.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use super::check;

/// `struct nvme_passthru_cmd`, 72 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct Passthru {
    opcode: u8,
    flags: u8,
    rsvd1: u16,
    nsid: u32,
    cdw2: u32,
    cdw3: u32,
    metadata: u64,
    addr: u64,
    metadata_len: u32,
    data_len: u32,
    cdw10: u32,
    cdw11: u32,
    cdw12: u32,
    cdw13: u32,
    cdw14: u32,
    cdw15: u32,
    timeout_ms: u32,
    result: u32,
}

/// `_IOWR('N', 0x41, struct nvme_admin_cmd)`.
const NVME_IOCTL_ADMIN_CMD: libc::Ioctl = libc::_IOWR::<Passthru>(b'N' as u32, 0x41);
/// `_IO('N', 0x40)`: answers by its return value.
const NVME_IOCTL_ID: libc::Ioctl = 0x4e40;

/// One admin command.
#[derive(Debug, Clone, Copy, Default)]
pub struct AdminCommand {
    /// Opcode (NVMe base specification, figure "Opcodes for Admin Commands").
    pub opcode: u8,
    /// Namespace; 0 for none, `0xffff_ffff` for all.
    pub nsid: u32,
    /// Command words 10 to 15.
    pub cdw10_15: [u32; 6],
    /// How long the kernel waits; 0 is its default of a minute.
    pub timeout_ms: u32,
}

/// Opcodes (NVMe base specification 2.0, section 5).
const IDENTIFY: u8 = 0x06;
const GET_LOG_PAGE: u8 = 0x02;
const GET_FEATURES: u8 = 0x0a;

/// "All namespaces": health and other logs of the controller as a whole.
const NSID_ALL: u32 = 0xffff_ffff;

impl AdminCommand {
    /// What Identify tells (Controller or Namespace Structure): a namespace.
    pub const CNS_NAMESPACE: u32 = 0;
    /// The controller.
    pub const CNS_CONTROLLER: u32 = 1;
    /// The numbers of the namespaces that are attached to the controller.
    pub const CNS_ACTIVE: u32 = 2;
    /// The numbers of the subsystem's namespaces, attached or not.
    pub const CNS_ALLOCATED: u32 = 0x10;

    /// Bytes that Identify answers.
    pub const IDENTIFY_BYTES: usize = 4096;

    /// Identify.
    pub fn identify(nsid: u32, cns: u32) -> Self {
        Self { opcode: IDENTIFY, nsid, cdw10_15: [cns, 0, 0, 0, 0, 0], timeout_ms: 0 }
    }

    /// Get Log Page: so many bytes of a log of the whole drive.
    pub fn log(page: u8, len_bytes: usize) -> Self {
        // The number of dwords, less one, in the upper half.
        let dwords = u32::try_from(len_bytes / 4).unwrap_or(1).saturating_sub(1);
        let cdw10 = u32::from(page) | (dwords & 0xffff) << 16;
        Self { opcode: GET_LOG_PAGE, nsid: NSID_ALL, cdw10_15: [cdw10, 0, 0, 0, 0, 0], timeout_ms: 0 }
    }

    /// Get Features: the current value.
    pub fn feature(feature: u8) -> Self {
        let cdw10_15 = [u32::from(feature), 0, 0, 0, 0, 0];
        Self { opcode: GET_FEATURES, cdw10_15, ..Self::default() }
    }
}

/// The result of an admin command. The drive's own status is not an error of the system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdminCompletion {
    /// Status field without the phase bit (type in bits 8 to 10, code in 0 to
    /// 7, do-not-retry in 14); 0 is success.
    pub status: u16,
    /// Command-specific result.
    pub result: u32,
}

/// Sends a command that moves `data` between the drive and us, in the
/// direction that the opcode says (its two low bits: 2 is from the drive).
pub fn admin(node: &File, command: AdminCommand, data: &mut [u8]) -> io::Result<AdminCompletion> {
    let [cdw10, cdw11, cdw12, cdw13, cdw14, cdw15] = command.cdw10_15;
    let data_len = u32::try_from(data.len()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    let mut passthru = Passthru {
        opcode: command.opcode,
        nsid: command.nsid,
        addr: if data.is_empty() { 0 } else { data.as_mut_ptr() as u64 },
        data_len,
        cdw10,
        cdw11,
        cdw12,
        cdw13,
        cdw14,
        cdw15,
        timeout_ms: command.timeout_ms,
        ..Passthru::default()
    };
    // SAFETY: the struct is the kernel's own layout and outlives the call;
    // `addr` and `data_len` describe `data`, which is borrowed mutably until
    // the call returns, and the kernel keeps neither.
    let rc = unsafe { libc::ioctl(node.as_raw_fd(), NVME_IOCTL_ADMIN_CMD, &raw mut passthru) };
    check(rc.min(0))?;
    Ok(AdminCompletion { status: u16::try_from(rc).unwrap_or(u16::MAX), result: passthru.result })
}

/// The number of the namespace that is open as a block device or as a generic character device.
pub fn namespace_id(namespace: &File) -> io::Result<u32> {
    // SAFETY: takes no argument; anything but a namespace is an error code.
    let rc = unsafe { libc::ioctl(namespace.as_raw_fd(), NVME_IOCTL_ID) };
    check(rc.min(0))?;
    Ok(rc.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_the_kernels() {
        assert_eq!(size_of::<Passthru>(), 72);
        // As linux/nvme_ioctl.h computes it.
        assert_eq!(NVME_IOCTL_ADMIN_CMD, 0xc048_4e41);
    }

    #[test]
    fn what_is_no_drive_refuses() {
        let file = tempfile::tempfile().unwrap();
        assert!(admin(&file, AdminCommand { opcode: 6, ..AdminCommand::default() }, &mut [0; 4096]).is_err());
        assert!(namespace_id(&file).is_err());
    }
}
