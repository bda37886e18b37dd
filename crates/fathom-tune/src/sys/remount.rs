//! Changing the options of a mount in place.

use std::ffi::CString;
use std::io;
use std::path::Path;

use fathom_device::sys::{c_name, check};

/// `mount(2)` with `MS_REMOUNT`, the flags, and the file system's options.
pub fn remount(point: &Path, flags: libc::c_ulong, options: &str) -> io::Result<()> {
    let point = c_name(point)?;
    let options = CString::new(options)?;
    let none = std::ptr::null();
    // SAFETY: `point` and `options` are NUL-terminated and outlive the call;
    // source and type are ignored by a remount and may be null; the kernel
    // copies what it keeps.
    let rc =
        unsafe { libc::mount(none, point.as_ptr(), none, libc::MS_REMOUNT | flags, options.as_ptr().cast()) };
    check(rc)
}
