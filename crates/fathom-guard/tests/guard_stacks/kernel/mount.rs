//! Mounting and unmounting in the mount namespace of the calling thread.

use std::ffi::CString;
use std::io;
use std::path::Path;

use super::{c_path, check};

/// One call of mount(2).
#[derive(Default)]
pub struct Request<'a> {
    pub source: Option<&'a Path>,
    pub kind: &'a str,
    /// `MS_*` bits.
    pub flags: libc::c_ulong,
    /// Options of the file system, separated by commas.
    pub options: &'a str,
}

impl Request<'_> {
    pub fn at(&self, point: &Path) -> io::Result<()> {
        let source = c_path(self.source.unwrap_or(Path::new("none")))?;
        let (point, kind) = (c_path(point)?, CString::new(self.kind)?);
        let options = CString::new(self.options)?;
        // SAFETY: the four pointers are NUL-terminated strings that outlive the call.
        let code = unsafe {
            libc::mount(
                source.as_ptr(),
                point.as_ptr(),
                kind.as_ptr(),
                self.flags,
                options.as_ptr().cast::<libc::c_void>(),
            )
        };
        check(code.into()).map(drop)
    }
}

/// Makes `source` visible at `point` too.
pub fn bind(source: &Path, point: &Path) -> io::Result<()> {
    Request { source: Some(source), flags: libc::MS_BIND, ..Request::default() }.at(point)
}

/// Makes one mount read-only; other mounts of the same file system stay as they are.
pub fn make_read_only(point: &Path) -> io::Result<()> {
    let flags = libc::MS_BIND | libc::MS_REMOUNT | libc::MS_RDONLY;
    Request { flags, ..Request::default() }.at(point)
}

/// An empty file system in memory.
pub fn tmpfs(point: &Path) -> io::Result<()> {
    Request { kind: "tmpfs", options: "mode=755", ..Request::default() }.at(point)
}

/// `flags` are `MNT_*` bits.
pub fn unmount(point: &Path, flags: libc::c_int) -> io::Result<()> {
    let point = c_path(point)?;
    // SAFETY: the pointer is a NUL-terminated string that outlives the call.
    check(unsafe { libc::umount2(point.as_ptr(), flags) }.into()).map(drop)
}
