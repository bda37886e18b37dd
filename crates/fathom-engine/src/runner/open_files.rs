//! Room for as many open files as the workers of a plan need.
//!
//! A shell usually allows 1,024 by its soft limit, and far more by the hard one,
//! which any process may take: the low one only protects programs that use
//! `select(2)`.

use fathom_job::plan::Plan;

/// Open files of a worker besides its targets: a ring, what it registers.
const OF_WORKER: u64 = 4;

/// Those of the rest of the program.
const OF_REST: u64 = 128;

/// Raises the soft limit where the plan may need it. Where that is not enough,
/// the worker that comes too late says so.
pub fn make_room(plan: &Plan) {
    let needed = plan.jobs.iter().map(|job| job.files.len() as u64 + OF_WORKER).sum::<u64>() + OF_REST;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes one rlimit into memory that we own.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) } == 0;
    if is_known && limit.rlim_cur < needed {
        limit.rlim_cur = needed.min(limit.rlim_max);
        // SAFETY: the kernel reads one rlimit.
        unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) };
    }
}
