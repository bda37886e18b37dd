//! All system calls that write: they create files, open inodes for writing and empty drives.

pub mod discard;
mod mount;
pub mod poll;
pub mod scsi;
pub mod swap_file;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

pub use mount::{mount, unmount};

use fathom_device::sys::{c_name, check, proc_path, without_proc};

/// Opens the inode that `fd` refers to once more, for writing too. `flags` are `O_*` bits other
/// than the access mode.
pub fn reopen_to_write(fd: &File, flags: i32) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).custom_flags(flags).open(proc_path(fd)).map_err(without_proc)
}

/// Creates a file in a directory (`O_PATH` included), for reading and writing by this user alone.
/// No link is followed: what appears under the name after the last look belongs to somebody else.
pub fn create_new(directory: &File, name: &std::ffi::OsStr) -> io::Result<File> {
    let name = c_name(Path::new(name))?;
    let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    // SAFETY: `name` is NUL-terminated and outlives the call.
    let fd = unsafe { libc::openat(directory.as_raw_fd(), name.as_ptr(), flags, 0o600) };
    check(fd)?;
    // SAFETY: a descriptor that was just opened, and is nobody else's.
    Ok(unsafe { File::from_raw_fd(fd) })
}

/// An error unless this process may make an entry in the directory.
pub fn takes_entries(directory: &Path) -> io::Result<()> {
    let name = c_name(directory)?;
    // SAFETY: `name` is NUL-terminated and outlives the call.
    let rc =
        unsafe { libc::faccessat(libc::AT_FDCWD, name.as_ptr(), libc::W_OK | libc::X_OK, libc::AT_EACCESS) };
    check(rc)
}

/// Sets the extended attribute `name` of an open file.
pub fn set_attribute(fd: BorrowedFd<'_>, name: &std::ffi::CStr, value: &[u8]) -> io::Result<()> {
    // SAFETY: `name` is NUL-terminated and `value` is readable for its length;
    // the kernel copies both before the call returns.
    let rc = unsafe { libc::fsetxattr(fd.as_raw_fd(), name.as_ptr(), value.as_ptr().cast(), value.len(), 0) };
    check(rc)
}
