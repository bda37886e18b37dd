//! CPU time of the calling thread, and of its process.

use std::io;
use std::mem::MaybeUninit;

use super::check;

/// CPU time that the calling thread has used, user and system, ns.
///
/// # Errors
/// Where the kernel does not keep it.
pub fn thread_cpu_ns() -> io::Result<u64> {
    cpu_ns(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// CPU time that all threads of this process have used, user and system, ns.
///
/// # Errors
/// Where the kernel does not keep it.
pub fn process_cpu_ns() -> io::Result<u64> {
    cpu_ns(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn cpu_ns(clock: libc::clockid_t) -> io::Result<u64> {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: `time` is a writable timespec that outlives the call.
    check(unsafe { libc::clock_gettime(clock, time.as_mut_ptr()) })?;
    // SAFETY: timespec is integers only, and the call has filled it.
    let time = unsafe { time.assume_init() };
    Ok(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}
