//! A SCSI command as the kernel takes it: `struct sg_io_hdr` of scsi/sg.h, sent by ioctl(2) with `SG_IO`.

use crate::scsi_status::{failure_of, is_unit_attention};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

/// `SG_IO` of scsi/sg.h.
const SG_IO: libc::Ioctl = 0x2285;
/// The identifier of the interface's version 3.
const INTERFACE: i32 = b'S' as i32;
/// `SG_FLAG_DIRECT_IO`: the drive moves data to and from the buffer of the caller, where `/proc/scsi/sg/allow_dio` allows that. A
/// block device does so in any case.
const DIRECT_IO: u32 = 1;
/// `SGV4_FLAG_HIPRI` of fio's engine. Linux ignores it.
const POLLED: u32 = 0x800;
/// `SG_INFO_DIRECT_IO_MASK`, and the value that says that nothing was copied.
const INFO_DIRECT_IO: u32 = 6;
const INFO_WAS_DIRECT: u32 = 2;
/// The kernel's own limits of commands to a disk (`SD_TIMEOUT`, twice that for a flush, `SD_WRITE_SAME_TIMEOUT` of drivers/scsi/sd.h).
/// When one has passed, the kernel aborts the command and, if need be, resets the drive.
const TIMEOUT_MS: u32 = 30_000;
const FLUSH_TIMEOUT_MS: u32 = 60_000;
const WRITE_SAME_TIMEOUT_MS: u32 = 120_000;
/// What the messages need of sense data is in its first 14 bytes.
const SENSE_BYTES: usize = 32;

const INQUIRY: u8 = 0x12;
const READ_CAPACITY_10: u8 = 0x25;
const SYNCHRONIZE_CACHE: u8 = 0x35;
const WRITE_SAME_10: u8 = 0x41;
const WRITE_SAME_16: u8 = 0x93;
const SERVICE_ACTION_IN: u8 = 0x9e;
const READ_CAPACITY_16: u8 = 0x10;

/// A command descriptor block of 6, 10 or 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cdb {
    bytes: [u8; 16],
    len: u8,
}

impl Cdb {
    /// One of these bytes, and zeroes up to its length, which the operation code says.
    pub fn of(first: &[u8]) -> Cdb {
        let mut bytes = [0; 16];
        bytes[..first.len()].copy_from_slice(first);
        let len = match bytes[0] >> 5 {
            0 => 6,
            1 | 2 => 10,
            _ => 16,
        };
        Cdb { bytes, len }
    }

    fn timeout_ms(&self) -> u32 {
        match self.bytes[0] {
            SYNCHRONIZE_CACHE => FLUSH_TIMEOUT_MS,
            WRITE_SAME_10 | WRITE_SAME_16 => WRITE_SAME_TIMEOUT_MS,
            _ => TIMEOUT_MS,
        }
    }

    #[cfg(test)]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// Which way the data of a command goes (`dxfer_direction`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Transfer {
    None = -1,
    ToDrive = -2,
    FromDrive = -3,
}

/// The data of a command.
#[derive(Clone, Copy, Debug)]
pub struct Data {
    pub transfer: Transfer,
    pub at: *mut u8,
    pub bytes: u32,
}

impl Data {
    pub const NONE: Data = Data { transfer: Transfer::None, at: std::ptr::null_mut(), bytes: 0 };
}

/// `struct sg_io_hdr`.
#[repr(C)]
struct Header {
    interface_id: i32,
    direction: i32,
    cmd_len: u8,
    sense_len_max: u8,
    iovec_count: u16,
    data_len: u32,
    data: *mut u8,
    command: *const u8,
    sense: *mut u8,
    timeout_ms: u32,
    flags: u32,
    pack_id: i32,
    usr_ptr: *mut u8,
    status: u8,
    masked_status: u8,
    msg_status: u8,
    sense_len: u8,
    host_status: u16,
    driver_status: u16,
    residual: i32,
    duration: u32,
    info: u32,
}

/// How the commands of a job are sent.
#[derive(Clone, Copy, Debug)]
pub struct Sending {
    flags: u32,
}

impl Sending {
    pub fn new(is_polled: bool) -> Sending {
        Sending { flags: DIRECT_IO | if is_polled { POLLED } else { 0 } }
    }
}

/// What became of a command.
#[derive(Clone, Copy, Debug)]
pub struct Reply {
    /// Bytes moved, or a negative errno or status.
    pub result: i32,
    /// The kernel copied no data, as far as it says so: it does for a generic character device.
    pub was_direct: bool,
}

/// Sends a command and waits for it.
///
/// # Safety
/// The data is as long as it says, and nobody else uses it until the call returns.
#[inline]
pub unsafe fn send(fd: RawFd, cdb: &Cdb, data: Data, sending: Sending) -> Reply {
    let mut sense = [0u8; SENSE_BYTES];
    let mut header = Header {
        interface_id: INTERFACE,
        direction: data.transfer as i32,
        cmd_len: cdb.len,
        sense_len_max: SENSE_BYTES as u8,
        iovec_count: 0,
        data_len: data.bytes,
        data: data.at,
        command: cdb.bytes.as_ptr(),
        sense: sense.as_mut_ptr(),
        timeout_ms: cdb.timeout_ms(),
        flags: sending.flags,
        pack_id: 0,
        usr_ptr: std::ptr::null_mut(),
        status: 0,
        masked_status: 0,
        msg_status: 0,
        sense_len: 0,
        host_status: 0,
        driver_status: 0,
        residual: 0,
        duration: 0,
        info: 0,
    };
    // SAFETY: the struct is the kernel's own layout; the pointers are to the command, to the sense data and to what the caller
    // promises, each with its length beside it, and the kernel keeps none of them.
    let status = unsafe { libc::ioctl(fd, SG_IO, &raw mut header) };
    let was_direct = header.info & INFO_DIRECT_IO == INFO_WAS_DIRECT;
    if status < 0 {
        let errno = io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
        return Reply { result: -errno, was_direct };
    }
    let sense = &sense[..usize::from(header.sense_len).min(SENSE_BYTES)];
    let result = failure_of(header.status, header.host_status, header.driver_status, sense)
        .unwrap_or_else(|| moved(data.bytes, header.residual));
    Reply { result, was_direct }
}

/// How many of so many bytes were moved. Where the drive had more data than was asked for, the residual is negative.
fn moved(bytes: u32, residual: i32) -> i32 {
    (i64::from(bytes) - i64::from(residual)).clamp(0, bytes.into()) as i32
}

/// How often a question is asked: a drive that was reset says so once for each thing that it has to say, and then answers.
const ASKED_MOST: u32 = 3;

/// Sends a command that answers with data, and returns how many bytes of it came, or a negative errno or status.
fn ask(fd: RawFd, cdb: &Cdb, answer: &mut [u8]) -> i32 {
    let mut result = ask_once(fd, cdb, answer);
    for _ in 1..ASKED_MOST {
        if !is_unit_attention(result) {
            break;
        }
        result = ask_once(fd, cdb, answer);
    }
    result
}

fn ask_once(fd: RawFd, cdb: &Cdb, answer: &mut [u8]) -> i32 {
    let data = Data { transfer: Transfer::FromDrive, at: answer.as_mut_ptr(), bytes: answer.len() as u32 };
    // SAFETY: the data is the slice, which is borrowed until the call returns.
    unsafe { send(fd, cdb, data, Sending { flags: 0 }) }.result
}

/// The command that has a drive write its whole cache to the medium.
pub fn synchronize_cache() -> Cdb {
    Cdb::of(&[SYNCHRONIZE_CACHE])
}

/// Has the drive write its cache to the medium: what fsync(2) is for a file.
pub fn flush(fd: BorrowedFd<'_>) -> rustix::io::Result<()> {
    // SAFETY: the command moves no data.
    let reply = unsafe { send(fd.as_raw_fd(), &synchronize_cache(), Data::NONE, Sending { flags: 0 }) };
    match reply.result {
        failure if failure < 0 => {
            Err(rustix::io::Errno::from_raw_os_error(crate::command_status::errno_of(-failure)))
        }
        _ => Ok(()),
    }
}

/// How many blocks a drive has, and their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    pub blocks: u64,
    pub block_bytes: u32,
}

/// Asks a drive for its capacity; the long form only if the short one cannot express it, because some bridges do not know it.
///
/// # Errors
/// A negative errno or status.
pub fn capacity(fd: RawFd) -> Result<Capacity, i32> {
    let mut short = [0u8; 8];
    whole(ask(fd, &Cdb::of(&[READ_CAPACITY_10]), &mut short), short.len())?;
    let last = u32::from_be_bytes([short[0], short[1], short[2], short[3]]);
    let block_bytes = u32::from_be_bytes([short[4], short[5], short[6], short[7]]);
    if last != u32::MAX {
        return Ok(Capacity { blocks: u64::from(last) + 1, block_bytes });
    }
    let mut long = [0u8; 32];
    let cdb =
        Cdb::of(&[SERVICE_ACTION_IN, READ_CAPACITY_16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, long.len() as u8]);
    whole(ask(fd, &cdb, &mut long), 12)?;
    let (blocks, size) = (long[..8].try_into(), long[8..12].try_into());
    let (Ok(last), Ok(size)) = (blocks, size) else { return Err(-libc::EIO) };
    Ok(Capacity { blocks: u64::from_be_bytes(last).saturating_add(1), block_bytes: u32::from_be_bytes(size) })
}

/// Asks a drive how many blocks one UNMAP may name; `None` if it does not report that it knows UNMAP.
///
/// # Errors
/// A negative errno or status.
pub fn unmap_blocks_most(fd: RawFd) -> Result<Option<u32>, i32> {
    let page = |page: u8, answer: &mut [u8]| {
        whole(ask(fd, &Cdb::of(&[INQUIRY, 1, page, 0, answer.len() as u8]), answer), 8)
    };
    // Logical Block Provisioning (LBPU is bit 7 of byte 5), and Block Limits (bytes 20 to 23).
    let (mut provisioning, mut limits) = ([0u8; 8], [0u8; 64]);
    page(0xb2, &mut provisioning)?;
    if provisioning[1] != 0xb2 || provisioning[5] & 0x80 == 0 {
        return Ok(None);
    }
    page(0xb0, &mut limits)?;
    let most = u32::from_be_bytes([limits[20], limits[21], limits[22], limits[23]]);
    Ok(Some(most).filter(|most| *most > 0))
}

/// An error unless so many bytes came.
fn whole(result: i32, bytes: usize) -> Result<(), i32> {
    match result {
        failure if failure < 0 => Err(failure),
        moved if (moved as usize) < bytes => Err(-libc::EIO),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn the_layout_is_the_kernels() {
        assert_eq!(size_of::<Header>(), 88);
        assert_eq!(std::mem::offset_of!(Header, status), 64);
    }

    #[test]
    fn the_operation_code_says_how_long_a_command_is() {
        for (first, len) in [(0x12, 6), (0x28, 10), (0x42, 10), (0x88, 16), (0x9e, 16)] {
            assert_eq!(Cdb::of(&[first]).bytes().len(), len, "{first:#x}");
        }
    }

    /// A flush that is aborted too early may end in a reset of the drive.
    #[test]
    fn a_command_has_the_time_that_the_kernel_would_give_it() {
        for (first, ms) in [(0x28, 30_000), (0x42, 30_000), (0x35, 60_000), (0x41, 120_000), (0x93, 120_000)]
        {
            assert_eq!(Cdb::of(&[first]).timeout_ms(), ms, "{first:#x}");
        }
    }

    #[test]
    fn no_more_is_moved_than_was_asked_for() {
        for (residual, expected) in [(0, 4096), (512, 3584), (4096, 0), (5000, 0), (-512, 4096)] {
            assert_eq!(moved(4096, residual), expected, "{residual}");
        }
    }

    #[test]
    fn a_file_takes_no_commands() {
        let file = tempfile::tempfile().unwrap();
        let fd = file.as_raw_fd();
        assert_eq!(flush(file.as_fd()), Err(rustix::io::Errno::NOTTY));
        assert_eq!(capacity(fd), Err(-libc::ENOTTY));
        assert_eq!(unmap_blocks_most(fd), Err(-libc::ENOTTY));
    }
}
