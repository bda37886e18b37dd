//! Which thread of a program receives a signal.
//!
//! The kernel delivers a signal to the main thread unless that thread blocks it, even while it
//! waits for a disk and can run no handler. A program that must react to a signal at any time
//! blocks it in all other threads.

use std::io;
use std::ptr;

/// Blocks these signals in the calling thread and in those that it starts from now on.
pub fn block(signals: &[i32]) -> io::Result<()> {
    change(libc::SIG_BLOCK, signals)
}

/// Unblocks these signals in the calling thread.
pub fn unblock(signals: &[i32]) -> io::Result<()> {
    change(libc::SIG_UNBLOCK, signals)
}

fn change(how: i32, signals: &[i32]) -> io::Result<()> {
    // SAFETY: a set of signals is plain data, for which all zeros are a value;
    // the calls are given that set alone, which outlives them.
    let error = unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        for signal in signals {
            libc::sigaddset(&mut set, *signal);
        }
        libc::pthread_sigmask(how, &set, ptr::null_mut())
    };
    if error == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(error)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_blocked_stands_in_the_mask_of_the_thread() {
        let mask = || {
            let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
            let line = status.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap();
            u64::from_str_radix(line.trim(), 16).unwrap()
        };
        let bits = 1 << (libc::SIGINT - 1) | 1 << (libc::SIGTERM - 1);
        block(&[libc::SIGINT, libc::SIGTERM]).unwrap();
        assert_eq!(mask() & bits, bits);
        assert_eq!(std::thread::spawn(move || mask() & bits).join().unwrap(), bits, "it is handed on");
        unblock(&[libc::SIGINT, libc::SIGTERM]).unwrap();
        assert_eq!(mask() & bits, 0);
    }
}
