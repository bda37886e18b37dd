//! Loop devices, through linux/loop.h.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use super::{check, partition};

const LOOP_CLR_FD: libc::Ioctl = 0x4C01;
const LOOP_CONFIGURE: libc::Ioctl = 0x4C0A;
const LOOP_CTL_GET_FREE: libc::Ioctl = 0x4C82;
const LO_FLAGS_READ_ONLY: u32 = 1;
const LO_FLAGS_AUTOCLEAR: u32 = 4;
const LO_FLAGS_PARTSCAN: u32 = 8;
/// `BLKFLSBUF` of linux/fs.h.
const BLKFLSBUF: libc::Ioctl = 0x1261;

/// `struct loop_info64`.
#[repr(C)]
struct Info {
    device: u64,
    inode: u64,
    rdevice: u64,
    offset_bytes: u64,
    limit_bytes: u64,
    number: u32,
    encrypt_type: u32,
    encrypt_key_size: u32,
    flags: u32,
    names: [[u8; 64]; 2],
    encrypt_key: [u8; 32],
    init: [u64; 2],
}

/// `struct loop_config`.
#[repr(C)]
struct Config {
    fd: u32,
    block_size: u32,
    info: Info,
    reserved: [u64; 8],
}

/// Which part of the backing file a loop device shows; a limit of 0 is none.
#[derive(Clone, Copy, Default)]
pub struct Window {
    pub offset_bytes: u64,
    pub limit_bytes: u64,
}

/// An attached loop device. The kernel detaches it when the last descriptor is closed, so nothing
/// stays behind even if the test is killed.
pub struct Loop {
    pub number: u32,
    keeper: File,
}

impl Loop {
    /// Attaches the open file to a free loop device.
    pub fn attach(backing: &File, window: Window, read_only: bool) -> io::Result<Self> {
        let control = OpenOptions::new().read(true).write(true).open("/dev/loop-control")?;
        loop {
            // SAFETY: LOOP_CTL_GET_FREE takes no pointer.
            let number = check(unsafe { libc::ioctl(control.as_raw_fd(), LOOP_CTL_GET_FREE) }.into())?;
            let number = u32::try_from(number).expect("the number of a device");
            let keeper = OpenOptions::new().read(true).write(!read_only).open(node(number))?;
            match configure(&keeper, backing, window, read_only) {
                // Somebody else was quicker with this number.
                Err(e) if e.raw_os_error() == Some(libc::EBUSY) => {}
                done => return done.map(|()| Self { number, keeper }),
            }
        }
    }

    pub fn node(&self) -> PathBuf {
        node(self.number)
    }

    /// Adds a partition that the kernel has not found by itself.
    pub fn add_partition(&self, number: usize, start_bytes: u64, size_bytes: u64) -> io::Result<()> {
        match partition::add(&self.keeper, number, start_bytes, size_bytes) {
            Err(e) if e.kind() == io::ErrorKind::ResourceBusy => Ok(()),
            added => added,
        }
    }

    /// Forgets what is cached of the device, so that the next reader sees the backing file.
    pub fn forget_cached(&self) -> io::Result<()> {
        // SAFETY: BLKFLSBUF takes no pointer.
        check(unsafe { libc::ioctl(self.keeper.as_raw_fd(), BLKFLSBUF) }.into()).map(drop)
    }

    pub fn detach(self) -> io::Result<()> {
        // SAFETY: LOOP_CLR_FD takes no pointer.
        check(unsafe { libc::ioctl(self.keeper.as_raw_fd(), LOOP_CLR_FD) }.into()).map(drop)
    }
}

fn node(number: u32) -> PathBuf {
    Path::new("/dev").join(format!("loop{number}"))
}

fn configure(device: &File, backing: &File, window: Window, read_only: bool) -> io::Result<()> {
    let read_only = if read_only { LO_FLAGS_READ_ONLY } else { 0 };
    let config = Config {
        fd: u32::try_from(backing.as_raw_fd()).expect("an open descriptor"),
        block_size: 512,
        info: Info {
            device: 0,
            inode: 0,
            rdevice: 0,
            offset_bytes: window.offset_bytes,
            limit_bytes: window.limit_bytes,
            number: 0,
            encrypt_type: 0,
            encrypt_key_size: 0,
            flags: LO_FLAGS_AUTOCLEAR | LO_FLAGS_PARTSCAN | read_only,
            names: [[0; 64]; 2],
            encrypt_key: [0; 32],
            init: [0; 2],
        },
        reserved: [0; 8],
    };
    // SAFETY: the structure has the layout of loop_config, is initialised, and outlives the call; the
    // kernel only reads it.
    check(unsafe { libc::ioctl(device.as_raw_fd(), LOOP_CONFIGURE, &raw const config) }.into()).map(drop)
}
