//! Swap areas.

use std::io;
use std::path::Path;

use super::{c_path, check};

pub fn on(path: &Path) -> io::Result<()> {
    let path = c_path(path)?;
    // SAFETY: the pointer is a NUL-terminated string that outlives the call.
    check(unsafe { libc::swapon(path.as_ptr(), 0) }.into()).map(drop)
}

pub fn off(path: &Path) -> io::Result<()> {
    let path = c_path(path)?;
    // SAFETY: the pointer is a NUL-terminated string that outlives the call.
    check(unsafe { libc::swapoff(path.as_ptr()) }.into()).map(drop)
}
