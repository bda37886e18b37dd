//! CPU time of the calling thread.

use std::io;
use std::mem::MaybeUninit;

use super::check;

/// CPU time that the calling thread has used, user and system, ns.
///
/// # Errors
/// Where the kernel does not keep it.
pub fn thread_cpu_ns() -> io::Result<u64> {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: `time` is a writable timespec that outlives the call.
    check(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, time.as_mut_ptr()) })?;
    // SAFETY: timespec is integers only, and the call has filled it.
    let time = unsafe { time.assume_init() };
    Ok(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}
