//! How much of a file is in the page cache.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// `cachestat` (since Linux 6.5) has the same number on every architecture except alpha
/// (include/uapi/asm-generic/unistd.h).
const SYS_CACHESTAT: libc::c_long = 451;

/// `struct cachestat_range` of linux/mman.h; length 0 is "to the end".
#[repr(C)]
struct Range {
    offset: u64,
    length: u64,
}

/// `struct cachestat` of linux/mman.h, in pages.
#[repr(C)]
#[derive(Default)]
struct Pages {
    cached: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// Bytes of the open file that are in the page cache, in whole pages. Fails
/// with ENOSYS before 6.5.
pub fn cached_bytes(file: &File) -> io::Result<u64> {
    let range = Range { offset: 0, length: 0 };
    let mut pages = Pages::default();
    // SAFETY: both structures have the layout of the kernel's and outlive the
    // call, which reads the first and writes the second.
    let rc = unsafe { libc::syscall(SYS_CACHESTAT, file.as_raw_fd(), &raw const range, &raw mut pages, 0) };
    if rc == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(pages.cached.saturating_mul(page_bytes()))
}

/// Bytes of a page of memory.
pub fn page_bytes() -> u64 {
    // SAFETY: takes no pointer and changes nothing.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(bytes).unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn what_was_just_written_is_cached() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[7; 1 << 20]).unwrap();
        match cached_bytes(&file) {
            Ok(bytes) => assert!(bytes >= 1 << 20, "{bytes}"),
            Err(e) => assert_eq!(e.raw_os_error(), Some(libc::ENOSYS), "{e}"),
        }
    }
}
