//! The system calls that change the host in other ways than by plain writes to its files.

use fathom_device::sys::{c_name, check};
use std::ffi::CString;
use std::io;
use std::path::Path;

/// Begins a session of its own, so that signals to the old group or terminal
/// do not reach this process. Fails in a process that leads a group.
pub fn new_session() -> io::Result<()> {
    // SAFETY: takes no argument and touches no memory of ours.
    check(unsafe { libc::setsid() }.min(0))
}

/// From now on these signals do nothing to this process.
pub fn ignore(signals: &[libc::c_int]) {
    for signal in signals {
        // SAFETY: SIG_IGN is not a handler of ours, so no code runs in a signal's
        // context; an unknown number is an error that changes nothing.
        unsafe { libc::signal(*signal, libc::SIG_IGN) };
    }
}

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
