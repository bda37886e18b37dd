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

/// Whether the directory is the root of a mount (`STATX_ATTR_MOUNT_ROOT`, since Linux 5.8); `None` where the kernel does not
/// say.
pub fn is_mount_root(at: &Path) -> io::Result<Option<bool>> {
    let at = c_name(at)?;
    let mut found = std::mem::MaybeUninit::<libc::statx>::zeroed();
    // SAFETY: the path is NUL-terminated and outlives the call; the kernel writes one `statx`, which is ours.
    let rc =
        unsafe { libc::statx(libc::AT_FDCWD, at.as_ptr(), libc::AT_NO_AUTOMOUNT, 0, found.as_mut_ptr()) };
    check(rc)?;
    // SAFETY: every field is a number, and zero is one.
    let found = unsafe { found.assume_init() };
    let root = libc::STATX_ATTR_MOUNT_ROOT as u64;
    Ok((found.stx_attributes_mask & root != 0).then_some(found.stx_attributes & root != 0))
}
