//! CPU time, switches, waits and faults of the calling thread.

use fathom_results::Usage;
use std::fs::File;
use std::io::Read;

/// `getrusage(RUSAGE_THREAD)` now, as counts since the thread began.
pub fn now() -> Usage {
    // SAFETY: rusage is plain old data, for which zeros are valid.
    let mut raw: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills one rusage that we own.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &mut raw) };
    let ns = |t: libc::timeval| t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1_000;
    Usage {
        user_ns: ns(raw.ru_utime),
        system_ns: ns(raw.ru_stime),
        switches_voluntary: raw.ru_nvcsw as u64,
        switches_involuntary: raw.ru_nivcsw as u64,
        wait_ns: runnable_wait_ns().unwrap_or(0),
        faults_minor: raw.ru_minflt as u64,
        faults_major: raw.ru_majflt as u64,
        ..Usage::default()
    }
}

pub fn between(before: &Usage, after: &Usage) -> Usage {
    Usage {
        user_ns: after.user_ns.saturating_sub(before.user_ns),
        system_ns: after.system_ns.saturating_sub(before.system_ns),
        switches_voluntary: after.switches_voluntary.saturating_sub(before.switches_voluntary),
        switches_involuntary: after.switches_involuntary.saturating_sub(before.switches_involuntary),
        wait_ns: after.wait_ns.saturating_sub(before.wait_ns),
        faults_minor: after.faults_minor.saturating_sub(before.faults_minor),
        faults_major: after.faults_major.saturating_sub(before.faults_major),
        ..Usage::default()
    }
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
