//! Changes of the tables in `/proc` that report them through poll(2).

use std::fs::File;
use std::os::fd::AsRawFd;

/// Whether the table (`/proc/self/mounts`, `/proc/swaps`) has changed since the last call for the
/// same open file. If the call fails, the table may have changed.
pub fn has_changed(table: &File) -> bool {
    let mut poll = libc::pollfd { fd: table.as_raw_fd(), events: libc::POLLPRI, revents: 0 };
    // SAFETY: one pollfd that is ours and outlives the call, which does not
    // wait.
    let ready = unsafe { libc::poll(&raw mut poll, 1, 0) };
    ready != 0
}
