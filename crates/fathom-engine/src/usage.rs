//! CPU time, switches, waits and faults of the calling thread.
//!
//! `getrusage` says how the CPU time divides into user space and kernel, but it is brought up to date only when the
//! scheduler's tick comes or the thread sleeps. So the difference of two readings can be a whole tick, 4 to 10 ms, for a
//! job of 1 ms. The clock of the thread is exact whenever it is read, so it gives the amount, and `getrusage` the parts.

use fathom_results::Usage;
use std::fs::File;
use std::io::Read;

/// What the thread had used since it began, when it was read.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuReading {
    /// `getrusage(RUSAGE_THREAD)`, and the wait for a CPU.
    usage: Usage,
    /// `CLOCK_THREAD_CPUTIME_ID`, ns.
    cpu_ns: u64,
}

/// A length of time and the part of it that is measured, ns.
#[derive(Clone, Copy, Debug)]
pub struct UsageSpan {
    /// Between the two readings.
    pub read_ns: u64,
    /// The measured window, which ends before the second reading.
    pub window_ns: u64,
}

/// What the calling thread has used until now.
pub fn now() -> CpuReading {
    // SAFETY: rusage is plain old data, for which zeros are valid.
    let mut raw: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills one rusage that we own.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &mut raw) };
    let ns = |t: libc::timeval| t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1_000;
    let usage = Usage {
        user_ns: ns(raw.ru_utime),
        system_ns: ns(raw.ru_stime),
        switches_voluntary: raw.ru_nvcsw as u64,
        switches_involuntary: raw.ru_nivcsw as u64,
        wait_ns: runnable_wait_ns().unwrap_or(0),
        faults_minor: raw.ru_minflt as u64,
        faults_major: raw.ru_majflt as u64,
        ..Usage::default()
    };
    CpuReading { usage, cpu_ns: thread_cpu_ns() }
}

fn thread_cpu_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel fills one timespec that we own. Rustix would look for the kernel's own functions in the memory of the program
    // first, which valgrind does not have there.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// What was used in the measured window, which is never more than its time.
pub fn between(before: &CpuReading, after: &CpuReading, span: UsageSpan) -> Usage {
    let part = |of: fn(&Usage) -> u64| of(&after.usage).saturating_sub(of(&before.usage));
    let cpu_ns = in_window(after.cpu_ns.saturating_sub(before.cpu_ns), span);
    let (user, system) = match (part(|u| u.user_ns), part(|u| u.system_ns)) {
        // No tick has come: as far as is known, it goes on as before.
        (0, 0) => (after.usage.user_ns, after.usage.system_ns),
        parts => parts,
    };
    let system_ns = scaled(cpu_ns, system, user + system);
    Usage {
        user_ns: cpu_ns - system_ns,
        system_ns,
        switches_voluntary: part(|u| u.switches_voluntary),
        switches_involuntary: part(|u| u.switches_involuntary),
        wait_ns: in_window(part(|u| u.wait_ns), span).min(span.window_ns - cpu_ns),
        faults_minor: part(|u| u.faults_minor),
        faults_major: part(|u| u.faults_major),
        ..Usage::default()
    }
}

/// The part of an amount that belongs to the window. The call that is under way at the end of a job's time may go on for long,
/// and what it uses afterwards is not read apart: it counts in proportion to the time.
fn in_window(ns: u64, span: UsageSpan) -> u64 {
    let UsageSpan { read_ns, window_ns } = span;
    scaled(ns, window_ns, read_ns.max(window_ns)).min(window_ns)
}

/// `amount` × `part` ÷ `whole`, where `part` is not above `whole`; 0 without a whole.
fn scaled(amount: u64, part: u64, whole: u64) -> u64 {
    let product = u128::from(amount) * u128::from(part);
    product.checked_div(u128::from(whole)).unwrap_or(0) as u64
}

/// Time on a run queue without a CPU, ns: the second of the three fields that
/// the scheduler keeps for each thread. `None` where it keeps none. Reads without
/// allocating memory, since the measured window has begun.
fn runnable_wait_ns() -> Option<u64> {
    let mut text = [0u8; 80];
    let length = File::open("/proc/thread-self/schedstat").ok()?.read(&mut text).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn reading(user_ms: u64, system_ms: u64, cpu_ns: u64) -> CpuReading {
        let usage = Usage { user_ns: user_ms * MS, system_ns: system_ms * MS, ..Usage::default() };
        CpuReading { usage, cpu_ns }
    }

    fn parts(before: CpuReading, after: CpuReading, read_ns: u64, window_ns: u64) -> (u64, u64) {
        let used = between(&before, &after, UsageSpan { read_ns, window_ns });
        (used.user_ns, used.system_ns)
    }

    #[test]
    fn a_tick_within_a_short_job_is_not_the_time_of_the_job() {
        // 1 ms passed, of which 0.9 ms had a CPU; getrusage moved by a tick of 4 ms.
        let before = reading(8, 4, 14 * MS);
        assert_eq!(parts(before, reading(11, 5, 14 * MS + 900_000), MS, MS), (675_000, 225_000));
        // No tick came: it is divided as until then.
        assert_eq!(parts(before, reading(8, 4, 14 * MS + 900_000), MS, MS), (600_000, 300_000));
        assert_eq!(parts(reading(0, 0, 0), reading(0, 0, 500), MS, MS), (500, 0), "as the kernel does");
    }

    #[test]
    fn what_follows_the_window_does_not_count() {
        // A write that began in a job of 1 s went on for 3 s, and used a CPU all the time.
        let used = parts(reading(0, 0, 0), reading(0, 4_000, 4_000 * MS), 4_000 * MS, 1_000 * MS);
        assert_eq!(used, (0, 1_000 * MS));
        assert_eq!(
            parts(reading(0, 0, 0), reading(3, 1, 4 * MS), 0, MS),
            (MS * 3 / 4, MS / 4),
            "at most the window"
        );
        assert_eq!(parts(reading(0, 0, 0), reading(3, 1, 4 * MS), 0, 0), (0, 0));
    }

    #[test]
    fn a_thread_waits_no_longer_than_it_does_not_run() {
        let after = CpuReading { usage: Usage { wait_ns: 5 * MS, ..Usage::default() }, cpu_ns: 700_000 };
        let used = between(&CpuReading::default(), &after, UsageSpan { read_ns: MS, window_ns: MS });
        assert_eq!((used.user_ns, used.wait_ns), (700_000, 300_000));
    }

    #[test]
    fn a_thread_that_computes_uses_what_passes() {
        let (before, began) = (now(), std::time::Instant::now());
        while began.elapsed() < std::time::Duration::from_millis(2) {
            std::hint::spin_loop();
        }
        let after = now();
        let passed = began.elapsed().as_nanos() as u64;
        assert!(after.cpu_ns > before.cpu_ns);
        let used = between(&before, &after, UsageSpan { read_ns: passed, window_ns: passed });
        assert!(used.user_ns + used.system_ns + used.wait_ns <= passed, "{used:?} in {passed} ns");
    }
}
