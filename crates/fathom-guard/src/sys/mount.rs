//! Mounting and unmounting.

use std::io;
use std::path::Path;

use fathom_device::sys::{c_name, check};

/// `mount(2)` without programs of other users and without device nodes.
pub fn mount(device: &Path, at: &Path, kind: &str) -> io::Result<()> {
    let (device, at, kind) = (c_name(device)?, c_name(at)?, c_name(Path::new(kind))?);
    let flags = libc::MS_NOSUID | libc::MS_NODEV;
    // SAFETY: all three are NUL-terminated and outlive the call; the options may be null; the kernel
    // copies what it keeps.
    let rc = unsafe { libc::mount(device.as_ptr(), at.as_ptr(), kind.as_ptr(), flags, std::ptr::null()) };
    check(rc)
}

/// `umount2(2)`; it fails while the file system is in use.
pub fn unmount(at: &Path) -> io::Result<()> {
    let at = c_name(at)?;
    // SAFETY: the path is NUL-terminated and outlives the call.
    let rc = unsafe { libc::umount2(at.as_ptr(), libc::UMOUNT_NOFOLLOW) };
    check(rc)
}
