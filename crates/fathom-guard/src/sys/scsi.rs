//! SCSI commands by `SG_IO` on a block device's own descriptor (scsi/sg.h).

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::time::Duration;

use fathom_device::sys::check;

/// `SG_IO` of scsi/sg.h.
const SG_IO: libc::Ioctl = 0x2285;
/// The identifier of the interface.
const INTERFACE: i32 = b'S' as i32;
/// The largest sense data there is (SPC-4 §4.5).
const SENSE_BYTES: usize = 252;

/// `struct sg_io_hdr`.
#[repr(C)]
struct Header {
    interface_id: i32,
    dxfer_direction: i32,
    cmd_len: u8,
    mx_sb_len: u8,
    iovec_count: u16,
    dxfer_len: u32,
    dxferp: *mut u8,
    cmdp: *const u8,
    sbp: *mut u8,
    timeout_ms: u32,
    flags: u32,
    pack_id: i32,
    usr_ptr: *mut u8,
    status: u8,
    masked_status: u8,
    msg_status: u8,
    sb_len_wr: u8,
    host_status: u16,
    driver_status: u16,
    resid: i32,
    duration: u32,
    info: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataDirection {
    None,
    ToDrive,
    FromDrive,
}

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScsiCommand {
    /// The command descriptor block.
    pub cdb: Vec<u8>,
    /// Which way its data goes.
    pub direction: DataDirection,
    /// How long the kernel waits.
    pub timeout: Duration,
}

/// What became of a command that reached the drive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScsiReply {
    /// Status byte; 0 is good, 2 means that there is sense data.
    pub status: u8,
    /// What the adapter says; 0 is good.
    pub host_status: u16,
    /// Sense data, as long as it came.
    pub sense: Vec<u8>,
    /// Bytes of data that were moved.
    pub moved_bytes: usize,
}

pub fn send(device: &File, command: &ScsiCommand, data: &mut [u8]) -> io::Result<ScsiReply> {
    let too_long = |_| io::Error::from(io::ErrorKind::InvalidInput);
    let mut sense = [0u8; SENSE_BYTES];
    let mut header = Header {
        interface_id: INTERFACE,
        dxfer_direction: match command.direction {
            DataDirection::None => -1,
            DataDirection::ToDrive => -2,
            DataDirection::FromDrive => -3,
        },
        cmd_len: u8::try_from(command.cdb.len()).map_err(too_long)?,
        mx_sb_len: SENSE_BYTES as u8,
        iovec_count: 0,
        dxfer_len: u32::try_from(data.len()).map_err(too_long)?,
        dxferp: data.as_mut_ptr(),
        cmdp: command.cdb.as_ptr(),
        sbp: sense.as_mut_ptr(),
        timeout_ms: u32::try_from(command.timeout.as_millis()).unwrap_or(u32::MAX),
        flags: 0,
        pack_id: 0,
        usr_ptr: std::ptr::null_mut(),
        status: 0,
        masked_status: 0,
        msg_status: 0,
        sb_len_wr: 0,
        host_status: 0,
        driver_status: 0,
        resid: 0,
        duration: 0,
        info: 0,
    };
    // SAFETY: the struct is the kernel's own layout; the three pointers are to
    // the command, to `data` and to `sense`, each with its length beside it,
    // and all outlive the call, after which the kernel keeps none.
    check(unsafe { libc::ioctl(device.as_raw_fd(), SG_IO, &raw mut header) })?;
    let left = usize::try_from(header.resid).unwrap_or(0);
    Ok(ScsiReply {
        status: header.status,
        host_status: header.host_status,
        sense: sense[..usize::from(header.sb_len_wr).min(SENSE_BYTES)].to_vec(),
        moved_bytes: data.len().saturating_sub(left),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn the_layout_is_the_kernels() {
        assert_eq!(size_of::<Header>(), 88);
        assert_eq!(std::mem::offset_of!(Header, status), 64);
    }

    #[test]
    fn what_is_no_drive_refuses() {
        let file = tempfile::tempfile().unwrap();
        let command =
            ScsiCommand { cdb: vec![0; 6], direction: DataDirection::None, timeout: Duration::from_secs(1) };
        assert!(send(&file, &command, &mut []).is_err());
    }
}
