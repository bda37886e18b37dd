//! What the kernel allows this process.

use std::io;

use super::check;

/// A limit's number for `getrlimit`, whose type differs between C libraries.
type Resource = libc::__rlimit_resource_t;

/// The soft and hard value of a limit; `None` is unlimited.
pub fn limit(resource: Resource) -> io::Result<(Option<u64>, Option<u64>)> {
    let mut out = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `out` is a writable rlimit that outlives the call.
    check(unsafe { libc::getrlimit(resource, &raw mut out) })?;
    let value = |v: u64| (v != libc::RLIM_INFINITY).then_some(v);
    Ok((value(out.rlim_cur), value(out.rlim_max)))
}
