//! The system calls by which a stack is built. They are made directly, because a program for each
//! step (`losetup`, `mount`) would take most of the time of a test that builds hundreds of stacks.

pub mod btrfs;
pub mod hole;
pub mod loops;
pub mod mount;
pub mod namespace;
pub mod node;
pub mod partition;
pub mod swap;

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The return code of a system call as a result.
pub fn check(code: i64) -> io::Result<i64> {
    match code {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(code),
    }
}

/// A path as the kernel takes it.
pub fn c_path(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

/// A path that leads to an open file wherever its names have gone.
pub fn open_path(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}
