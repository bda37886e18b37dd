//! Where a sparse file has data.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use super::check;

/// The first byte of data at or behind `start`; `None` where only a hole is left.
pub fn data_from(file: &File, start: u64) -> io::Result<Option<u64>> {
    match seek(file, start, libc::SEEK_DATA) {
        Err(e) if e.raw_os_error() == Some(libc::ENXIO) => Ok(None),
        found => found.map(Some),
    }
}

/// The first byte of the next hole; the end of the file counts as one.
pub fn end_of_data(file: &File, start: u64) -> io::Result<u64> {
    seek(file, start, libc::SEEK_HOLE)
}

fn seek(file: &File, start: u64, whence: libc::c_int) -> io::Result<u64> {
    let start = i64::try_from(start).expect("a small file");
    // SAFETY: lseek takes no pointer.
    let found = check(unsafe { libc::lseek(file.as_raw_fd(), start, whence) })?;
    Ok(u64::try_from(found).expect("a position"))
}
