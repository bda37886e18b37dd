//! The clock: raw ticks in the loop, nanoseconds only when recorded.
//!
//! On x86-64 with an invariant time-stamp counter that the kernel itself
//! trusts, a stamp is one `rdtsc` (≈10 ns; `clock_gettime` ≈23 ns, measured).
//! Elsewhere a tick is a nanosecond of `CLOCK_MONOTONIC_RAW`, which NTP does
//! not slew. A start stamp needs no fence, since a system call follows it; an
//! end stamp is ordered behind the loads that saw the completion.

use std::time::Duration;

/// Converts ticks of this machine into nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Nanoseconds per tick, times 2^SHIFT.
    scale: u64,
    tsc: bool,
    origin: u64,
}

/// Fixed point of `scale`: a 3 GHz tick is 0.33 ns, so the scale keeps 38
/// significant bits, an error below 10⁻¹¹.
const SHIFT: u32 = 40;

/// Length of the calibration: each end is known to about 50 ns, so 50 ms give
/// about 2 ppm, far below the histogram's 0.4 %.
const CALIBRATION: Duration = Duration::from_millis(50);

impl Clock {
    /// Calibrates against `CLOCK_MONOTONIC_RAW`. `kernel_trusts_tsc` says that
    /// the kernel's own clock source is the TSC, which its watchdog verifies
    /// across CPUs; without that the TSC is not used.
    pub fn calibrate(kernel_trusts_tsc: bool) -> Self {
        let tsc = kernel_trusts_tsc && invariant_tsc();
        if !tsc {
            return Clock { scale: 1 << SHIFT, tsc, origin: monotonic_ns() };
        }
        let (tick0, ns0) = bracketed_pair();
        std::thread::sleep(CALIBRATION);
        let (tick1, ns1) = bracketed_pair();
        let scale = (u128::from(ns1 - ns0) << SHIFT) / u128::from(tick1.saturating_sub(tick0).max(1));
        Clock { scale: scale as u64, tsc, origin: tick1 }
    }

    /// A stamp that may be taken early by the processor: for starts.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        if self.tsc { read_tsc() } else { monotonic_ns() }
    }

    /// A stamp taken after every earlier load: for ends.
    #[inline(always)]
    pub fn now_ordered(&self) -> u64 {
        if self.tsc { read_tsc_ordered() } else { monotonic_ns() }
    }

    /// A span of ticks in nanoseconds.
    #[inline(always)]
    pub fn nanos(&self, ticks: u64) -> u64 {
        ((u128::from(ticks) * u128::from(self.scale)) >> SHIFT) as u64
    }

    /// Nanoseconds since calibration.
    pub fn since_origin(&self, stamp: u64) -> u64 {
        self.nanos(stamp.saturating_sub(self.origin))
    }

    /// A span of nanoseconds in ticks.
    pub fn ticks(&self, nanos: u64) -> u64 {
        ((u128::from(nanos) << SHIFT) / u128::from(self.scale)).min(u128::from(u64::MAX / 4)) as u64
    }

    /// `tsc` or `monotonic-raw`, for the record.
    pub fn name(&self) -> &'static str {
        if self.tsc { "tsc" } else { "monotonic-raw" }
    }

    /// Ticks per second.
    pub fn hertz(&self) -> u64 {
        self.ticks(1_000_000_000)
    }
}

/// A (tick, ns) pair of the closest of 16 tries.
fn bracketed_pair() -> (u64, u64) {
    let mut best = (u64::MAX, 0, 0);
    for _ in 0..16 {
        let before = read_tsc_ordered();
        let ns = monotonic_ns();
        let after = read_tsc_ordered();
        if after - before < best.0 {
            best = (after - before, before + (after - before) / 2, ns);
        }
    }
    (best.1, best.2)
}

fn monotonic_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one timespec into memory that we own.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_RAW, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

#[cfg(target_arch = "x86_64")]
fn invariant_tsc() -> bool {
    use std::arch::x86_64::__cpuid;
    __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0
}

#[cfg(not(target_arch = "x86_64"))]
fn invariant_tsc() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn read_tsc() -> u64 {
    // SAFETY: reads a counter; available on every x86-64.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn read_tsc_ordered() -> u64 {
    // SAFETY: a load fence and a counter read; available on every x86-64.
    unsafe {
        std::arch::x86_64::_mm_lfence();
        std::arch::x86_64::_rdtsc()
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn read_tsc() -> u64 {
    monotonic_ns()
}

#[cfg(not(target_arch = "x86_64"))]
fn read_tsc_ordered() -> u64 {
    monotonic_ns()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_and_nanoseconds_convert_both_ways() {
        for clock in [Clock::calibrate(true), Clock::calibrate(false)] {
            for ns in [1_000, 1_000_000, 3_600_000_000_000, 7 * 86_400 * 1_000_000_000] {
                let back = clock.nanos(clock.ticks(ns));
                assert!(ns.abs_diff(back) <= 2 + ns / 1_000_000_000, "{ns} became {back}");
            }
        }
    }

    #[test]
    fn a_sleep_is_at_least_as_long_as_asked() {
        let clock = Clock::calibrate(true);
        let start = clock.now();
        std::thread::sleep(Duration::from_millis(20));
        assert!(clock.nanos(clock.now_ordered() - start) >= 19_900_000);
    }
}
