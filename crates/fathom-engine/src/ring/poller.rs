//! A ring whose submissions a kernel thread takes (SQPOLL).
//!
//! While that thread is awake it sees the tail of the queue move, and completions
//! appear without a system call: no call is needed to submit, and none to wait if
//! the I/O is fast. The thread goes to sleep when nothing was submitted for a while
//! ([`setup`](super::setup)), and a system call then wakes it.

use super::RingOf;
use super::abi::*;
use super::shape::Shape;
use std::io;
use std::sync::atomic::Ordering;

/// How often a wait looks at the completions, at most, before it calls the kernel. A
/// look and its pause take 15 to 40 ns, so this is a quarter to half a millisecond:
/// longer than a queue of cached reads or a read of a fast drive.
pub(super) const LOOKS_MAX: u32 = 1 << 14;

/// After this number of waits in the kernel the looks are tried again.
const WAITS_BETWEEN_TRIES: u32 = 4_096;

impl<S: Shape> RingOf<S> {
    /// Does a kernel thread look for what is submitted?
    pub fn has_poller(&self) -> bool {
        self.has_poller
    }

    /// Shows the poller what is staged; makes a system call only if the poller sleeps.
    pub fn publish(&mut self) -> io::Result<()> {
        self.show_tail();
        match self.wake_up() {
            0 => Ok(()),
            wake => self.call(self.staged(), 0, self.enter_flags | wake, std::ptr::null(), 0).map(drop),
        }
    }

    /// As [`RingOf::enter`], with a system call only to wake the poller, or to wait
    /// for I/O that takes longer.
    #[cold]
    pub(super) fn enter_beside_poller(&mut self, wait: u32, timeout_ns: u64) -> io::Result<u32> {
        let staged = self.staged();
        self.publish()?;
        for _ in 0..=self.looks {
            if self.available() >= wait {
                self.looks = LOOKS_MAX;
                return Ok(staged);
            }
            std::hint::spin_loop();
        }
        self.look_less();
        self.wait(0, wait, ENTER_GETEVENTS | self.enter_flags | self.wake_up(), timeout_ns)?;
        Ok(staged)
    }

    /// The looks did not help: the I/O takes longer, or the poller waits for the
    /// processor that this worker uses for its looks. The next wait looks half as often,
    /// and in the end not at all, except for a try now and then.
    fn look_less(&mut self) {
        self.waits += 1;
        let tries = self.waits.is_multiple_of(WAITS_BETWEEN_TRIES);
        self.looks = if tries { LOOKS_MAX } else { self.looks / 2 };
    }

    /// The flag that wakes a sleeping poller.
    fn wake_up(&self) -> u32 {
        // The tail must be visible before the flag is read, or both sides miss
        // each other.
        std::sync::atomic::fence(Ordering::SeqCst);
        // SAFETY: the flags live in a mapping that this ring owns.
        let flags = unsafe { self.submission_flags.as_ref() }.load(Ordering::Relaxed);
        if flags & SQ_NEED_WAKEUP != 0 { ENTER_SQ_WAKEUP } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Ring, RingSetup};
    use super::*;

    #[test]
    fn looks_that_do_not_help_become_fewer() {
        let mut ring = Ring::new(&RingSetup { entries: 8, is_polled: false, poller: Some(None) }).unwrap();
        (0..20).for_each(|_| ring.look_less());
        assert_eq!(ring.looks, 0);
        (20..WAITS_BETWEEN_TRIES).for_each(|_| ring.look_less());
        assert_eq!(ring.looks, LOOKS_MAX);
    }

    #[test]
    fn entries_come_back_whether_the_poller_sleeps_or_not() {
        let mut ring = Ring::new(&RingSetup { entries: 8, is_polled: false, poller: Some(None) }).unwrap();
        let mut reaped = Vec::new();
        for round in 0..50_u64 {
            for at in 0..5 {
                *ring.stage() = [u64::from(OP_NOP), 0, 0, 0, round * 5 + at, 0, 0, 0];
            }
            while ring.available() < 5 {
                ring.enter(5, 1_000_000_000).unwrap();
            }
            ring.reap(5, |data, result| reaped.push((data, result)));
            if round == 25 {
                // It sleeps after a second.
                std::thread::sleep(std::time::Duration::from_millis(1_200));
                assert_eq!(ring.wake_up(), ENTER_SQ_WAKEUP);
            }
        }
        assert_eq!(reaped, (0..250).map(|n| (n, 0)).collect::<Vec<_>>());
    }
}
