//! The file or device under a loop device, by `LOOP_GET_STATUS64` (linux/loop.h).
//!
//! The kernel asks the file system of the backing file for its numbers, which
//! may never answer; see [`super::apart`].

use crate::device::DevNumber;

/// `LOOP_GET_STATUS64` of linux/loop.h.
pub(super) const LOOP_GET_STATUS64: libc::Ioctl = 0x4c05;

/// `struct loop_info64` of linux/loop.h: 232 bytes. It begins with the
/// numbers that are used here: device, inode and, for a device node, the
/// number of its device.
pub(super) const INFO_WORDS: usize = 29;

/// The file under a loop device, as the kernel knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopStatus {
    /// `st_dev` of the file.
    pub dev: DevNumber,
    /// `st_ino` of the file.
    pub inode: u64,
    /// The device of the file; `None` for a regular file.
    pub rdev: Option<DevNumber>,
}

impl LoopStatus {
    /// Reads the first three numbers of a `loop_info64`. The kernel packs the
    /// numbers of devices as it packs `st_dev`.
    pub fn of([dev, inode, rdev]: [u64; 3]) -> Self {
        let rdev = (rdev != 0).then(|| DevNumber::from_raw(rdev));
        Self { dev: DevNumber::from_raw(dev), inode, rdev }
    }
}
