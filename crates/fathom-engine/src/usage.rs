//! CPU time, switches and faults of the calling thread.

use fathom_results::Usage;

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
        faults_minor: raw.ru_minflt as u64,
        faults_major: raw.ru_majflt as u64,
    }
}

/// What was used between two readings.
pub fn between(before: &Usage, after: &Usage) -> Usage {
    Usage {
        user_ns: after.user_ns.saturating_sub(before.user_ns),
        system_ns: after.system_ns.saturating_sub(before.system_ns),
        switches_voluntary: after.switches_voluntary.saturating_sub(before.switches_voluntary),
        switches_involuntary: after.switches_involuntary.saturating_sub(before.switches_involuntary),
        faults_minor: after.faults_minor.saturating_sub(before.faults_minor),
        faults_major: after.faults_major.saturating_sub(before.faults_major),
    }
}
