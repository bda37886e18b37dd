//! Intended starts: when each I/O of a paced direction is due.
//!
//! Times are in ticks since the phase began, with 32 bits of fraction, so that a
//! rate is kept exactly however long the job runs. A schedule goes on whether or
//! not its I/Os can start in time.

use super::seed::Random;
use crate::clock::Clock;
use fathom_job::plan::{Arrivals, Rate};

/// Bits of the fraction in a schedule's times.
const FRACTION: u32 = 32;

#[derive(Clone, Debug)]
pub struct Schedule {
    /// The next start, in 2^-32 ticks.
    next: u128,
    /// Mean gap: of an I/O, or of a byte, in 2^-32 ticks.
    mean: f64,
    /// The same, as a whole number.
    gap: u128,
    per_byte: bool,
    is_poisson: bool,
}

impl Schedule {
    pub fn new(rate: Rate, arrivals: Arrivals, clock: &Clock) -> Schedule {
        let (per_second, per_byte) = match rate {
            Rate::Bytes(n) => (n, true),
            Rate::Ios(n) => (n, false),
        };
        let mean = clock.hertz_exact() / per_second.max(1) as f64 * f64::from(FRACTION).exp2();
        let is_poisson = arrivals == Arrivals::Poisson;
        Schedule { next: 0, mean, gap: mean.round() as u128, per_byte, is_poisson }
    }

    pub fn restart(&mut self) {
        self.next = 0;
    }

    /// When the next start is due, ticks into the phase.
    #[inline(always)]
    pub fn due(&self) -> u64 {
        (self.next >> FRACTION) as u64
    }

    /// Gives the next start to an I/O of `len` bytes; returns when it is due.
    #[inline(always)]
    pub fn take(&mut self, len: u64, random: &mut Random) -> u64 {
        let due = self.due();
        self.next += if self.is_poisson { self.exponential(len, random) } else { self.even(len) };
        due
    }

    /// Fills `due` with the next starts, for I/Os of one length.
    pub fn take_many(&mut self, len: u64, due: &mut [u64], random: &mut Random) {
        if self.is_poisson {
            due.iter_mut().for_each(|due| *due = self.take(len, random));
            return;
        }
        let (mut next, gap) = (self.next, self.even(len));
        for due in due {
            *due = (next >> FRACTION) as u64;
            next += gap;
        }
        self.next = next;
    }

    #[inline(always)]
    fn even(&self, len: u64) -> u128 {
        if self.per_byte { self.gap * u128::from(len) } else { self.gap }
    }

    /// −ln U times the mean, U uniform in (0, 1]: exact in the distribution up
    /// to the 53 bits of U.
    fn exponential(&self, len: u64, random: &mut Random) -> u128 {
        let mean = if self.per_byte { self.mean * len as i64 as f64 } else { self.mean };
        let uniform = ((random.bits() >> 11) + 1) as f64 * (-53f64).exp2();
        (-uniform.ln() * mean) as u128
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(rate: Rate, arrivals: Arrivals) -> Schedule {
        // A tick is a nanosecond.
        Schedule::new(rate, arrivals, &Clock::calibrate(false))
    }

    #[test]
    fn an_even_schedule_does_not_drift() {
        let mut s = schedule(Rate::Ios(300_000), Arrivals::Linear);
        let mut random = Random::new(1);
        let last = (0..30_000_001).map(|_| s.take(4096, &mut random)).last().unwrap();
        assert!(last.abs_diff(100_000_000_000) <= 1, "{last} ns for 100 s");
    }

    #[test]
    fn many_starts_are_those_that_come_one_by_one() {
        for arrivals in [Arrivals::Linear, Arrivals::Poisson] {
            let (mut one, mut many) =
                (schedule(Rate::Ios(70_000), arrivals), schedule(Rate::Ios(70_000), arrivals));
            let (mut a, mut b) = (Random::new(5), Random::new(5));
            let mut due = [0; 64];
            for _ in 0..3 {
                many.take_many(4096, &mut due, &mut a);
                assert_eq!(due, std::array::from_fn(|_| one.take(4096, &mut b)));
            }
        }
    }

    #[test]
    fn bytes_are_paced_by_what_each_io_moves() {
        let mut s = schedule(Rate::Bytes(1_000_000), Arrivals::Linear);
        let mut random = Random::new(1);
        let due: Vec<u64> = [500, 1500, 1000].map(|len| s.take(len, &mut random)).to_vec();
        assert_eq!(due, [0, 500_000, 2_000_000]);
        assert_eq!(s.due(), 3_000_000);
    }

    /// Kolmogorov and Smirnov: the largest distance of two distributions, here
    /// of gaps from the exponential one; 1.63/√n is exceeded once in a hundred.
    #[test]
    fn poisson_gaps_are_exponential_at_300k_a_second() {
        let mut s = schedule(Rate::Ios(300_000), Arrivals::Poisson);
        let mut random = Random::new(7);
        let n = 100_000;
        // `take` shows whole ticks, while the schedule has fractions of a tick,
        // so the gaps here are taken from the schedule.
        let mut gaps: Vec<f64> = (0..n)
            .map(|_| {
                let before = s.next;
                s.take(4096, &mut random);
                (s.next - before) as f64 / f64::from(FRACTION).exp2()
            })
            .collect();
        gaps.sort_by(f64::total_cmp);
        let mean_ns = 1e9 / 300_000.0;
        let distance = (gaps.iter().enumerate())
            .map(|(rank, gap)| {
                let exact = 1.0 - (-gap / mean_ns).exp();
                (exact - rank as f64 / n as f64).abs().max((exact - (rank + 1) as f64 / n as f64).abs())
            })
            .fold(0.0, f64::max);
        assert!(distance < 1.63 / f64::from(n).sqrt(), "D = {distance}");
    }
}
