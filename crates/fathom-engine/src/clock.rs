//! The clock: raw ticks in the loop, nanoseconds only when recorded.
//!
//! On x86-64 with an invariant time-stamp counter that the kernel itself
//! trusts, a stamp is one `rdtsc` (≈10 ns; `clock_gettime` ≈23 ns, measured).
//! Elsewhere a tick is a nanosecond of `CLOCK_MONOTONIC_RAW`, which NTP does
//! not slew. A start stamp needs no fence, since a system call follows it; an
//! end stamp is ordered behind the loads that saw the completion.
//!
//! Two clocks are for rehearsal. A fast one ([`Clock::faster`]) lets a day of
//! windows pass in a minute. A virtual one ([`Clock::virtual_time`]) belongs to
//! its thread and moves only when an engine or a wait moves it: what it measures
//! is known exactly.

use std::cell::Cell;
use std::time::Duration;

/// Converts ticks of this machine into nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Nanoseconds per tick, times 2^SHIFT.
    scale: u64,
    kind: Kind,
    origin: u64,
    /// How many times as fast as time it goes.
    speed: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Tsc,
    MonotonicRaw,
    Virtual,
}

thread_local! {
    /// The time of this thread's virtual clock, ns.
    static VIRTUAL_NS: Cell<u64> = const { Cell::new(0) };
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
            let kind = Kind::MonotonicRaw;
            return Clock { scale: 1 << SHIFT, kind, origin: monotonic_ns(), speed: 1 };
        }
        let (tick0, ns0) = bracketed_pair();
        std::thread::sleep(CALIBRATION);
        let (tick1, ns1) = bracketed_pair();
        let scale = (u128::from(ns1 - ns0) << SHIFT) / u128::from(tick1.saturating_sub(tick0).max(1));
        Clock { scale: scale as u64, kind: Kind::Tsc, origin: tick1, speed: 1 }
    }

    /// The same clock, going `speed` times as fast.
    pub fn faster(self, speed: u32) -> Self {
        let speed = speed.max(1);
        Clock {
            scale: self.scale.saturating_mul(u64::from(speed)),
            speed: self.speed.saturating_mul(speed),
            ..self
        }
    }

    /// A clock of the calling thread that moves only by [`Clock::advance_to`].
    pub fn virtual_time() -> Self {
        VIRTUAL_NS.set(0);
        Clock { scale: 1 << SHIFT, kind: Kind::Virtual, origin: 0, speed: 1 }
    }

    /// Moves a virtual clock forward; false for every other.
    #[inline(always)]
    pub fn advance_to(&self, stamp: u64) -> bool {
        if !self.is_virtual() {
            return false;
        }
        VIRTUAL_NS.set(VIRTUAL_NS.get().max(stamp));
        true
    }

    /// Does it move only when it is told to?
    #[inline(always)]
    pub fn is_virtual(&self) -> bool {
        self.kind == Kind::Virtual
    }

    /// A stamp that may be taken early by the processor: for starts.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        if self.kind == Kind::Tsc { read_tsc() } else { self.other_now() }
    }

    /// A stamp taken after every earlier load: for ends.
    #[inline(always)]
    pub fn now_ordered(&self) -> u64 {
        if self.kind == Kind::Tsc { read_tsc_ordered() } else { self.other_now() }
    }

    #[cold]
    fn other_now(&self) -> u64 {
        if self.kind == Kind::Virtual { VIRTUAL_NS.get() } else { monotonic_ns() }
    }

    /// A span of ticks in nanoseconds.
    #[inline(always)]
    pub fn nanos(&self, ticks: u64) -> u64 {
        ((u128::from(ticks) * u128::from(self.scale)) >> SHIFT) as u64
    }

    /// How long a span of ticks lasts in the world, ns.
    pub fn real_nanos(&self, ticks: u64) -> u64 {
        self.nanos(ticks) / u64::from(self.speed)
    }

    /// Nanoseconds since calibration.
    pub fn since_origin(&self, stamp: u64) -> u64 {
        self.nanos(stamp.saturating_sub(self.origin))
    }

    /// A span of nanoseconds in ticks.
    pub fn ticks(&self, nanos: u64) -> u64 {
        ((u128::from(nanos) << SHIFT) / u128::from(self.scale)).min(u128::from(u64::MAX / 4)) as u64
    }

    /// `tsc`, `monotonic-raw` or `virtual`, for the record.
    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Tsc => "tsc",
            Kind::MonotonicRaw => "monotonic-raw",
            Kind::Virtual => "virtual",
        }
    }

    /// How many times as fast as time it goes: 1 but for rehearsals.
    pub fn speed(&self) -> u32 {
        self.speed
    }

    /// Ticks per second, with their fraction.
    pub fn hertz_exact(&self) -> f64 {
        1e9 * f64::from(SHIFT).exp2() / self.scale as f64
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
    fn a_fast_clock_shows_more_time_than_passes() {
        let clock = Clock::calibrate(true).faster(1000);
        let start = clock.now();
        std::thread::sleep(Duration::from_millis(5));
        let ticks = clock.now_ordered() - start;
        assert!(clock.nanos(ticks) >= 5_000_000_000);
        assert!(clock.real_nanos(ticks).abs_diff(clock.nanos(ticks) / 1000) <= 1);
    }

    #[test]
    fn virtual_time_moves_forward_and_only_when_told() {
        let clock = Clock::virtual_time();
        assert_eq!((clock.now(), clock.now_ordered()), (0, 0));
        assert!(clock.advance_to(500) && clock.advance_to(300));
        assert_eq!(clock.now(), 500);
        assert_eq!((clock.nanos(500), clock.ticks(500)), (500, 500));
        assert!(!Clock::calibrate(false).advance_to(7));
    }

    #[test]
    fn a_sleep_is_at_least_as_long_as_asked() {
        let clock = Clock::calibrate(true);
        let start = clock.now();
        std::thread::sleep(Duration::from_millis(20));
        assert!(clock.nanos(clock.now_ordered() - start) >= 19_900_000);
    }
}
