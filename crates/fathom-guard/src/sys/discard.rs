//! Requests that empty a range of a block device (linux/fs.h, all `_IO(0x12, …)`),
//! and the one that reads its partition table again.
//!
//! `BLKDISCARDZEROES` is not asked: since 4.12 the kernel answers 0 whatever
//! the device does. What a discarded range reads as is found out by reading.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;

use fathom_device::sys::check;

const BLKRRPART: libc::Ioctl = 0x125f;
const BLKDISCARD: libc::Ioctl = 0x1277;
const BLKSECDISCARD: libc::Ioctl = 0x127d;
const BLKZEROOUT: libc::Ioctl = 0x127f;

/// How a range is emptied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emptying {
    /// The device is told that the range is not needed (TRIM, UNMAP, Deallocate). What it reads as
    /// afterwards depends on the device.
    Discard,
    /// The same, copies inside the device included.
    SecureDiscard,
    /// Zeroes are written, by a command of the device's if it has one; the
    /// range stays allocated.
    ZeroOut,
}

pub fn empty(device: &File, range: Range<u64>, how: Emptying) -> io::Result<()> {
    let request = match how {
        Emptying::Discard => BLKDISCARD,
        Emptying::SecureDiscard => BLKSECDISCARD,
        Emptying::ZeroOut => BLKZEROOUT,
    };
    let pair = [range.start, range.end.saturating_sub(range.start)];
    // SAFETY: these requests read two u64, start and length, from the pointer,
    // which is ours and outlives the call.
    check(unsafe { libc::ioctl(device.as_raw_fd(), request, pair.as_ptr()) })
}

/// Makes the kernel look at the partition table again. Fails with EBUSY while
/// anyone has claimed the disk or uses a partition.
pub fn reread_partitions(disk: &File) -> io::Result<()> {
    // SAFETY: takes no argument; anything but a disk is an error code.
    check(unsafe { libc::ioctl(disk.as_raw_fd(), BLKRRPART) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_file_is_no_device() {
        let file = tempfile::tempfile().unwrap();
        for how in [Emptying::Discard, Emptying::SecureDiscard, Emptying::ZeroOut] {
            assert_eq!(empty(&file, 0..512, how).unwrap_err().raw_os_error(), Some(libc::ENOTTY));
        }
        assert!(reread_partitions(&file).is_err());
    }
}
