//! Waiting for a stamp, exactly.
//!
//! The kernel wakes a sleeper late, by tens of microseconds in a virtual
//! machine. So the sleep ends early by as much as earlier ones ended late, and
//! the rest is spun.

use crate::clock::Clock;
use std::time::Duration;

/// A first guess at how late the kernel wakes a thread, ns; measured on
/// virtual machines: 40 to 60 µs.
const FIRST_MARGIN_NS: u64 = 60_000;
/// The longest time to spin, however late the kernel wakes the thread, ns.
const MARGIN_NS_MAX: u64 = 200_000;
/// The shortest time that a wake-up takes, ns.
const MARGIN_NS_MIN: u64 = 2_000;
/// The part of an unneeded margin that each sleep takes away. The margin is about the longest delay of the last 64 sleeps, so
/// that about one sleep of 64 ends late.
const MARGIN_DECAY: u64 = 64;

#[derive(Debug)]
pub struct Sleeper {
    margin_ns: u64,
}

impl Sleeper {
    /// A sleeper that has measured nothing yet. In virtual time no wake-up is late.
    pub fn new(clock: &Clock) -> Sleeper {
        Sleeper { margin_ns: if clock.is_virtual() { 0 } else { FIRST_MARGIN_NS } }
    }

    /// By how much a wait must end early, ns.
    #[inline(always)]
    pub fn margin_ns(&self) -> u64 {
        self.margin_ns
    }

    /// Returns at `stamp`, or at once when that has passed.
    pub fn until(&mut self, clock: &Clock, stamp: u64) {
        if clock.advance_to(stamp) {
            return;
        }
        loop {
            let now = clock.now();
            if now >= stamp {
                return;
            }
            let left_ns = clock.real_nanos(stamp - now);
            if left_ns > self.margin_ns {
                self.sleep(clock, left_ns - self.margin_ns);
            } else {
                std::hint::spin_loop();
            }
        }
    }

    fn sleep(&mut self, clock: &Clock, ns: u64) {
        let before = clock.now();
        std::thread::sleep(Duration::from_nanos(ns));
        let slept_ns = clock.real_nanos(clock.now().saturating_sub(before));
        self.learn(slept_ns.saturating_sub(ns));
    }

    /// Takes note that a sleep was `late_ns` too long. A larger value counts at once,
    /// a smaller one by a [`MARGIN_DECAY`]th.
    fn learn(&mut self, late_ns: u64) {
        let eased = self.margin_ns - self.margin_ns / MARGIN_DECAY + late_ns / MARGIN_DECAY;
        self.margin_ns = late_ns.max(eased).clamp(MARGIN_NS_MIN, MARGIN_NS_MAX);
    }
}

/// Lets the kernel wake this thread as close to the time asked for as it can
/// (50 µs late is its default).
pub fn ask_for_precision() {
    // SAFETY: no pointers; it changes the timer slack of this thread only.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_returns_early() {
        let clock = Clock::calibrate(true);
        let mut sleeper = Sleeper::new(&clock);
        for ns in [0, 500, 50_000, 3_000_000] {
            let stamp = clock.now() + clock.ticks(ns);
            sleeper.until(&clock, stamp);
            assert!(clock.now() >= stamp);
        }
    }

    #[test]
    fn the_margin_follows_what_was_seen_within_bounds() {
        let mut sleeper = Sleeper::new(&Clock::calibrate(false));
        sleeper.learn(150_000);
        assert_eq!(sleeper.margin_ns(), 150_000);
        sleeper.learn(10_000_000);
        assert_eq!(sleeper.margin_ns(), MARGIN_NS_MAX);
        (0..400).for_each(|_| sleeper.learn(0));
        assert_eq!(sleeper.margin_ns(), MARGIN_NS_MIN);
    }
}
