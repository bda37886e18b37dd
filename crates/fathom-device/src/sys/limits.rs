//! What the kernel allows this process, and how full a file system is.

use std::ffi::CString;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

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

/// Size of a file system, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// All of it.
    pub size_bytes: u64,
    /// Free, also what only root may use.
    pub free_bytes: u64,
    /// Free for everybody.
    pub available_bytes: u64,
}

/// The space of the file system that `path` is on.
pub fn space(path: &Path) -> io::Result<Space> {
    let name = CString::new(path.as_os_str().as_bytes())?;
    let mut out = MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: `name` is NUL-terminated and `out` is a writable statvfs buffer;
    // both outlive the call.
    check(unsafe { libc::statvfs(name.as_ptr(), out.as_mut_ptr()) })?;
    // SAFETY: statvfs is integers only, and the call above filled it.
    let out = unsafe { out.assume_init() };
    let bytes = |blocks: u64| blocks.saturating_mul(out.f_frsize);
    Ok(Space {
        size_bytes: bytes(out.f_blocks),
        free_bytes: bytes(out.f_bfree),
        available_bytes: bytes(out.f_bavail),
    })
}
