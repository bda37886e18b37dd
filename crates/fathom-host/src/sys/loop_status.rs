//! What a loop device stands on, by `LOOP_GET_STATUS64` (linux/loop.h).

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use super::check;
use crate::device::DevNumber;

/// `LOOP_GET_STATUS64` of linux/loop.h.
const LOOP_GET_STATUS64: libc::Ioctl = 0x4c05;

/// `struct loop_info64` of linux/loop.h: 232 bytes. It begins with the
/// numbers that are used here: device, inode and, for a device node, the
/// device that it stands for.
const INFO_WORDS: usize = 29;

/// The file under a loop device, as the kernel knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopStatus {
    /// `st_dev` of the file.
    pub dev: DevNumber,
    /// `st_ino` of the file.
    pub inode: u64,
    /// The device that the file stands for; `None` for a regular file.
    pub rdev: Option<DevNumber>,
}

/// Asks the open loop device `node`. The error is `ENXIO` where no file is
/// attached.
pub fn loop_status(node: &File) -> io::Result<LoopStatus> {
    let mut info = [0u64; INFO_WORDS];
    // SAFETY: `info` has the size and the alignment of a loop_info64, the
    // kernel writes no more than that, and the buffer outlives the call.
    check(unsafe { libc::ioctl(node.as_raw_fd(), LOOP_GET_STATUS64, info.as_mut_ptr()) })?;
    // The kernel packs these numbers as it packs `st_dev`.
    let [dev, inode, rdev, ..] = info;
    let rdev = (rdev != 0).then(|| DevNumber::from_raw(rdev));
    Ok(LoopStatus { dev: DevNumber::from_raw(dev), inode, rdev })
}
