//! Making a process independent of the one that started it.

use std::io;

use fathom_device::sys::check;

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
