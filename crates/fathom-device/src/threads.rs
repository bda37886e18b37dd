//! Work that several threads do side by side, and this thread alone where no other can be started; and which thread
//! receives a signal.

use std::thread::{Builder, ScopedJoinHandle, scope};
use std::{io, ptr};

/// Runs `work` in this thread and in up to `threads - 1` further ones, and returns what each returned. `work` must take what it
/// does from a common store until that is empty, since a limit of processes, threads or memory may leave it to fewer threads.
pub fn side_by_side<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    with(threads, &work, Builder::new)
}

fn with<T: Send>(threads: usize, work: &(impl Fn() -> T + Sync), builder: impl Fn() -> Builder) -> Vec<T> {
    scope(|scope| {
        // After the first thread that cannot be started, no other is tried.
        let started = (1..threads).map_while(|_| builder().spawn_scoped(scope, work).ok());
        let others: Vec<ScopedJoinHandle<'_, T>> = started.collect();
        let own = work();
        let join = |other: ScopedJoinHandle<'_, T>| {
            other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        std::iter::once(own).chain(others.into_iter().map(join)).collect()
    })
}

// Which thread of a program receives a signal.
//
// The kernel delivers a signal to the main thread unless that thread blocks it, even while it
// waits for a disk and can run no handler. A program that must react to a signal at any time
// blocks it in all other threads.

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
    use std::sync::Mutex;

    /// All of the work is done, with threads and without.
    #[test]
    fn without_further_threads_this_one_does_all() {
        // No machine has room for such a stack, so the thread cannot be started.
        let none = || Builder::new().stack_size(usize::MAX / 4);
        for (threads, can_start, ended) in [(4, true, 4), (4, false, 1), (1, true, 1), (0, true, 1)] {
            let store = Mutex::new((0..1000).collect::<Vec<u32>>());
            let work = || std::iter::from_fn(|| store.lock().unwrap().pop()).count();
            let counts = if can_start { side_by_side(threads, work) } else { with(threads, &work, none) };
            assert_eq!((counts.len(), counts.iter().sum::<usize>()), (ended, 1000), "{threads} {can_start}");
        }
    }

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
