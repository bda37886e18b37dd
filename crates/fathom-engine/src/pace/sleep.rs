//! Waiting for a stamp, exactly.
//!
//! The kernel wakes a sleeper late, by tens of microseconds in a virtual
//! machine. So the sleep ends early by as much as earlier ones ended late, and
//! the rest is spun. A wait for completions that ends at a stamp is such a sleep too.

use crate::clock::Clock;
use std::time::Duration;

/// A first guess at how late the kernel wakes a thread, ns; measured on
/// virtual machines: 40 to 60 µs.
const FIRST_MARGIN_NS: u64 = 60_000;
/// The shortest time that a wake-up takes, ns.
const MARGIN_NS_MIN: u64 = 2_000;

/// How closely starts are kept, and how much processor time that may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// For a rate. The margin is about the longest delay of the last 64 sleeps, so that about one sleep of 64 ends late, and it
    /// spins for at most 0.2 ms.
    Usual,
    /// For the starts of a trace, whose error is to be below 0.1 ms in 99 of 100: about one sleep of 512 ends late, and it spins for at
    /// most 1 ms. Measured on a virtual machine that halts an idle processor: with the usual margin, 1.3 % of the wake-ups were
    /// more than 0.1 ms late.
    Close,
}

impl Precision {
    /// The longest time to spin, however late the kernel wakes the thread, ns.
    fn margin_ns_max(self) -> u64 {
        match self {
            Precision::Usual => 200_000,
            Precision::Close => 1_000_000,
        }
    }

    /// The part of an unneeded margin that each sleep takes away.
    fn decay(self) -> u64 {
        match self {
            Precision::Usual => 64,
            Precision::Close => 512,
        }
    }
}

#[derive(Debug)]
pub struct Sleeper {
    margin_ns: u64,
    precision: Precision,
}

impl Sleeper {
    /// A sleeper that has measured nothing yet. In virtual time no wake-up is late.
    pub fn new(clock: &Clock, precision: Precision) -> Sleeper {
        Sleeper { margin_ns: if clock.is_virtual() { 0 } else { FIRST_MARGIN_NS }, precision }
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

    /// Takes note that a sleep was `late_ns` too long. The margin grows at once to a larger value, and falls slowly towards a smaller one.
    pub fn learn(&mut self, late_ns: u64) {
        let decay = self.precision.decay();
        let eased = self.margin_ns - self.margin_ns / decay + late_ns / decay;
        self.margin_ns = late_ns.max(eased).clamp(MARGIN_NS_MIN, self.precision.margin_ns_max());
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
        let mut sleeper = Sleeper::new(&clock, Precision::Usual);
        for ns in [0, 500, 50_000, 3_000_000] {
            let stamp = clock.now() + clock.ticks(ns);
            sleeper.until(&clock, stamp);
            assert!(clock.now() >= stamp);
        }
    }

    #[test]
    fn the_margin_follows_what_was_seen_within_bounds() {
        for (precision, most, sleeps) in
            [(Precision::Usual, 200_000, 400), (Precision::Close, 1_000_000, 4_000)]
        {
            let mut sleeper = Sleeper::new(&Clock::calibrate(false), precision);
            sleeper.learn(150_000);
            assert_eq!(sleeper.margin_ns(), 150_000);
            sleeper.learn(10_000_000);
            assert_eq!(sleeper.margin_ns(), most);
            (0..sleeps).for_each(|_| sleeper.learn(0));
            assert_eq!(sleeper.margin_ns(), MARGIN_NS_MIN);
        }
    }
}
