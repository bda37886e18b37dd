//! Names that the standard library cannot make: device nodes and clones of a file's blocks.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

use super::{c_path, check};

/// Makes a node for the block device `rdev`.
pub fn make_block(path: &Path, rdev: libc::dev_t) -> io::Result<()> {
    let path = c_path(path)?;
    // SAFETY: the pointer is a NUL-terminated string that outlives the call.
    check(unsafe { libc::mknod(path.as_ptr(), libc::S_IFBLK | 0o600, rdev) }.into()).map(drop)
}

/// Lets `copy` share the blocks of `original` until either is written (`FICLONE`).
pub fn reflink(original: &File, copy: &File) -> io::Result<()> {
    // SAFETY: FICLONE takes a descriptor and no pointer.
    check(unsafe { libc::ioctl(copy.as_raw_fd(), libc::FICLONE, original.as_raw_fd()) }.into()).map(drop)
}
