//! Whether a file is active swap, asked of the file itself.
//!
//! `/proc/swaps` knows a swap file only by a path, which a mount may cover; a hard link to it has
//! another path. The kernel's own mark is on the inode: no call may change an active swap file, and
//! all of them fail with `ETXTBSY`.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

pub fn is_active_swap(file: &File) -> io::Result<bool> {
    // The range ends beyond the largest offset, so that the call fails for every file.
    // `vfs_fallocate` (fs/open.c) looks for swap first: ETXTBSY means swap, and EFBIG means that
    // everything but the range was in order.
    let (offset, len) = (libc::off_t::MAX, 1);
    // SAFETY: takes no pointer; a bad descriptor or range is an error code.
    let rc = unsafe { libc::fallocate(file.as_raw_fd(), 0, offset, len) };
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        _ if rc == 0 => Err(io::Error::other("an impossible range was allocated")),
        Some(libc::ETXTBSY) => Ok(true),
        Some(libc::EFBIG | libc::EOPNOTSUPP) => Ok(false),
        _ => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_file_is_no_swap_and_stays_as_it_is() {
        let file = tempfile::tempfile().unwrap();
        let before = file.metadata().unwrap();
        assert!(!is_active_swap(&file).unwrap());
        let after = file.metadata().unwrap();
        assert_eq!((after.len(), after.modified().unwrap()), (0, before.modified().unwrap()));
    }
}
