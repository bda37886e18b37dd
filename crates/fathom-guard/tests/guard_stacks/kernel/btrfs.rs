//! The kernel's list of devices that hold btrfs.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::check;

/// `struct btrfs_ioctl_vol_args`.
#[repr(C)]
struct Arguments {
    fd: i64,
    name: [u8; 4088],
}

/// `BTRFS_IOC_FORGET_DEV` of linux/btrfs.h.
const BTRFS_IOC_FORGET_DEV: libc::Ioctl = libc::_IOW::<Arguments>(0x94, 5);

/// Makes the kernel forget an unmounted device. It would otherwise take the next image with the same
/// UUID for an old copy of this one.
pub fn forget(node: &Path) -> io::Result<()> {
    let control = File::open("/dev/btrfs-control")?;
    let mut arguments = Arguments { fd: 0, name: [0; 4088] };
    let name = node.as_os_str().as_bytes();
    arguments.name[..name.len()].copy_from_slice(name);
    // SAFETY: the structure has the layout of btrfs_ioctl_vol_args, its name ends in NUL, and it
    // outlives the call; the kernel only reads it.
    let code = unsafe { libc::ioctl(control.as_raw_fd(), BTRFS_IOC_FORGET_DEV, &raw const arguments) };
    check(code.into()).map(drop)
}
