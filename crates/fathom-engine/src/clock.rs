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
//! is known exactly (`timeline`).

use crate::{cpu, timeline};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Converts ticks of this machine into nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Nanoseconds per tick, times 2^SHIFT.
    scale: u64,
    kind: Kind,
    origin: u64,
    origin_ns: u64,
    /// How many times faster than real time this clock goes.
    speed: u32,
    /// CPUs whose counters were compared, and CPUs that may be used.
    compared: (u16, u16),
    /// The counters differ, so they are not used.
    is_torn: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Tsc,
    MonotonicRaw,
    Virtual,
}

/// Fixed point of `scale`: a 3 GHz tick is 0.33 ns, so the scale keeps 38
/// significant bits, an error below 10⁻¹¹.
const SHIFT: u32 = 40;

/// Length of the calibration: each end is known to about 50 ns, so 50 ms give
/// about 2 ppm, far below the histogram's 0.4 %.
const CALIBRATION: Duration = Duration::from_millis(50);

impl Clock {
    /// Calibrates against `CLOCK_MONOTONIC_RAW`. `kernel_trusts_tsc` says that
    /// the kernel's own clock source is the TSC. The TSC is used only then, and
    /// only if no two CPUs are seen to have different counters. The comparison
    /// takes place while the calibration waits.
    pub fn calibrate(kernel_trusts_tsc: bool) -> Self {
        if !(kernel_trusts_tsc && invariant_tsc()) {
            return Clock::of_kernel();
        }
        let start = Instant::now();
        let (tick0, ns0) = bracketed_pair();
        let Agreement { compared, cpus, backwards } = compare(read_tsc_ordered, CALIBRATION);
        std::thread::sleep(CALIBRATION.saturating_sub(start.elapsed()));
        let (tick1, ns1) = bracketed_pair();
        let scale = (u128::from(ns1 - ns0) << SHIFT) / u128::from(tick1.saturating_sub(tick0).max(1));
        let compared = (compared, cpus);
        if backwards > 0 {
            return Clock { compared, is_torn: true, ..Clock::of_kernel() };
        }
        let (scale, kind) = (scale as u64, Kind::Tsc);
        Clock { scale, kind, origin: tick1, origin_ns: ns1, compared, ..Clock::of_kernel() }
    }

    /// `CLOCK_MONOTONIC_RAW`: a tick is a nanosecond.
    fn of_kernel() -> Self {
        let now_ns = monotonic_ns();
        Clock {
            scale: 1 << SHIFT,
            kind: Kind::MonotonicRaw,
            origin: now_ns,
            origin_ns: now_ns,
            speed: 1,
            compared: (0, 0),
            is_torn: false,
        }
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

    /// The same clock, whose times count from now.
    pub fn beginning_now(self) -> Self {
        let (origin, origin_ns) = match self.kind {
            Kind::Tsc => bracketed_pair(),
            Kind::MonotonicRaw => {
                let now_ns = monotonic_ns();
                (now_ns, now_ns)
            }
            Kind::Virtual => return Clock::virtual_time(),
        };
        Clock { origin, origin_ns, ..self }
    }

    /// A clock of the calling thread that moves only by [`Clock::advance_to`].
    pub fn virtual_time() -> Self {
        timeline::restart();
        Clock { kind: Kind::Virtual, origin: 0, ..Clock::of_kernel() }
    }

    /// Waits on a virtual clock until `stamp`; false for every other. Workers of the
    /// same thread that are due earlier go first.
    #[inline(always)]
    pub fn advance_to(&self, stamp: u64) -> bool {
        if !self.is_virtual() {
            return false;
        }
        timeline::wait_until(stamp);
        true
    }

    /// Does it move only by [`Clock::advance_to`]?
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
        if self.kind == Kind::Virtual { timeline::now_ns() } else { monotonic_ns() }
    }

    /// A span of ticks in nanoseconds.
    #[inline(always)]
    pub fn nanos(&self, ticks: u64) -> u64 {
        ((u128::from(ticks) * u128::from(self.scale)) >> SHIFT) as u64
    }

    /// How long a span of ticks lasts in real time, ns.
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

    /// What is known of the clock, as pairs of name and value for the result.
    pub fn notes(&self) -> Vec<(String, String)> {
        let mut notes = vec![("clock".to_owned(), self.name().to_owned())];
        let mut note = |name: &str, value: String| notes.push((format!("clock.{name}"), value));
        if self.compared.1 > 0 {
            note("cpus_compared", format!("{} of {}", self.compared.0, self.compared.1));
        }
        if self.is_torn {
            note("tsc", "not used: the counters of two CPUs differ".to_owned());
        }
        if let Some(ppm) = self.drift_ppm() {
            note("drift_ppm", format!("{ppm:.3}"));
        }
        notes
    }

    /// By how much the calibrated rate has differed from the kernel's clock since
    /// the calibration, in parts per million. `None` for clocks that were not
    /// calibrated, and in the first second, because both ends are known to some
    /// 50 ns only.
    fn drift_ppm(&self) -> Option<f64> {
        if self.kind != Kind::Tsc || self.speed != 1 {
            return None;
        }
        let (tick, ns) = bracketed_pair();
        let shown_ns = self.since_origin(tick);
        let passed_ns = ns.saturating_sub(self.origin_ns);
        (passed_ns > 1_000_000_000).then(|| (shown_ns as f64 - passed_ns as f64) / passed_ns as f64 * 1e6)
    }

    /// Ticks per second, with their fraction.
    pub fn hertz_exact(&self) -> f64 {
        1e9 * f64::from(SHIFT).exp2() / self.scale as f64
    }
}

/// The (tick, ns) pair that was read in the shortest time, of 16 tries.
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
    kernel_clock_ns(libc::CLOCK_MONOTONIC_RAW)
}

/// Milliseconds of one of the kernel's clocks; 0 of a clock that it does not have.
pub(crate) fn clock_ms(clock: libc::clockid_t) -> u64 {
    kernel_clock_ns(clock) / 1_000_000
}

fn kernel_clock_ns(clock: libc::clockid_t) -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one timespec into memory that we own.
    unsafe { libc::clock_gettime(clock, &mut now) };
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

// Do the time-stamp counters of all CPUs agree?
//
// Two CPUs pass a stamp to each other, and the receiver must read a later one.
// The check finds the case that would spoil a latency: an I/O that begins on one
// CPU and is seen on another, with an end before its start. The kernel's own
// watchdog compares counters too, but at boot, and not below a microsecond.

/// How many times the stamp goes there and back between two CPUs. fio compares as
/// many as fit into one second; these are enough to find a difference that occurs
/// once in a hundred times.
const ROUNDS: u64 = 400;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Agreement {
    /// CPUs that were compared, including the first, with which the others are compared.
    pub compared: u16,
    pub cpus: u16,
    /// The largest number of ticks by which a later stamp was smaller than an earlier
    /// one; 0 if there was none.
    pub backwards: u64,
}

/// Compares every CPU that this process may use with the first of them, until
/// `time` is over.
fn compare(read: fn() -> u64, time: Duration) -> Agreement {
    let deadline = Instant::now() + time;
    let cpus = cpu::allowed();
    let mut agreement = Agreement { compared: 0, cpus: cpus.len() as u16, backwards: 0 };
    let Some((&first, others)) = cpus.split_first() else { return agreement };
    agreement.compared = 1;
    for &other in others {
        let Some(backwards) = bounce(read, [first, other], deadline) else { return agreement };
        agreement.compared += 1;
        agreement.backwards = agreement.backwards.max(backwards);
    }
    agreement
}

/// Passes the stamp to and fro between two CPUs. Returns by how many ticks it went
/// backwards at most; `None` when the time is over, or a CPU cannot be used.
fn bounce(read: fn() -> u64, cpus: [usize; 2], deadline: Instant) -> Option<u64> {
    // The stamp, and in its lowest bit the side whose turn it is.
    let (ball, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    let play = |side: u64| -> Option<u64> {
        if cpu::set_affinity(&[cpus[side as usize]]).is_err() {
            is_over.store(true, Ordering::Relaxed);
            return None;
        }
        let mut backwards = 0;
        for _ in 0..ROUNDS {
            let mut came = ball.load(Ordering::Acquire);
            while came & 1 != side {
                if is_over.load(Ordering::Relaxed) || Instant::now() > deadline {
                    is_over.store(true, Ordering::Relaxed);
                    return None;
                }
                std::hint::spin_loop();
                came = ball.load(Ordering::Acquire);
            }
            let now = read();
            backwards = backwards.max((came >> 1).saturating_sub(now));
            ball.store(now << 1 | (1 - side), Ordering::Release);
        }
        Some(backwards)
    };
    std::thread::scope(|scope| {
        // Without a second thread there is nothing to compare with.
        let other = Builder::new().spawn_scoped(scope, || play(1)).ok()?;
        let one = Builder::new().spawn_scoped(scope, || play(0));
        if one.is_err() {
            is_over.store(true, Ordering::Relaxed);
        }
        let one = one.ok().and_then(|thread| thread.join().ok().flatten());
        Some(other.join().ok().flatten()?.max(one?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

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
    fn a_calibrated_clock_tells_how_far_it_drifts() {
        let clock = Clock::calibrate(true);
        assert_eq!(clock.drift_ppm(), None, "too early to tell");
        std::thread::sleep(Duration::from_millis(1_050));
        let notes = clock.notes();
        let note = |name: &str| notes.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str());
        if clock.name() == "tsc" {
            let ppm: f64 = note("clock.drift_ppm").unwrap().parse().unwrap();
            assert!(ppm.abs() < 200.0, "{ppm} ppm");
            assert!(note("clock.cpus_compared").unwrap().contains(" of "), "{notes:?}");
        } else {
            assert_eq!(note("clock"), Some("monotonic-raw"));
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

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn a_counter_that_all_cpus_share_agrees() {
        static SHARED: AtomicU64 = AtomicU64::new(1);
        let agreement = compare(|| SHARED.fetch_add(1, Ordering::SeqCst), LONG);
        assert_eq!((agreement.compared, agreement.backwards), (agreement.cpus, 0));
        assert!(agreement.cpus >= 1);
    }

    #[test]
    fn a_counter_that_is_ahead_on_one_cpu_is_found() {
        thread_local!(static AHEAD: Cell<Option<u64>> = const { Cell::new(None) });
        static THREADS: AtomicU64 = AtomicU64::new(0);
        static TIME: AtomicU64 = AtomicU64::new(1 << 20);
        fn skewed() -> u64 {
            let ahead = AHEAD.get().unwrap_or_else(|| {
                let ahead = THREADS.fetch_add(1, Ordering::SeqCst) * 5_000;
                AHEAD.set(Some(ahead));
                ahead
            });
            TIME.fetch_add(1, Ordering::SeqCst) + ahead
        }
        if let [first, second, ..] = cpu::allowed()[..] {
            let backwards = bounce(skewed, [first, second], Instant::now() + LONG).unwrap();
            assert!((4_000..=5_000).contains(&backwards), "{backwards}");
        }
    }

    #[test]
    fn it_ends_with_its_time() {
        let agreement = compare(|| 7, Duration::ZERO);
        assert!(agreement.compared <= 1);
    }
}
