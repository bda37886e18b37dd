//! `sync` and `vsync`: lseek(2), then read(2)/write(2) or readv(2)/writev(2).
//!
//! The seek is left out when the file is already where the I/O goes, as fio
//! does. fio's vsync also joins adjacent I/Os to imitate a queue; ours issues
//! one at a time, so its declared depth is 1.

use super::inline::InlineFiles;
use super::{Context, EngineEntry, EngineError, Replacement, SyncEngine, bytes_or_errno, errno};
use crate::desc::{Desc, Op};
use crate::target::OpenTarget;
use std::os::fd::{AsRawFd, RawFd};

/// `sync` in the registry.
pub const SYNC: EngineEntry = EngineEntry::sync::<Seeking<false>>("sync");

/// `vsync` in the registry.
pub const VSYNC: EngineEntry = EngineEntry::sync::<Seeking<true>>("vsync");

/// A job's files with their positions.
pub struct Seeking<const VECTORED: bool> {
    files: Vec<Positioned>,
    inline: InlineFiles,
}

struct Positioned {
    fd: RawFd,
    /// Where the kernel's position is, when that is known.
    position: Option<u64>,
}

impl Positioned {
    fn of(file: &OpenTarget) -> Self {
        Positioned { fd: file.fd.as_raw_fd(), position: Some(0) }
    }
}

impl<const VECTORED: bool> SyncEngine for Seeking<VECTORED> {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        Ok(Seeking {
            files: context.files.iter().map(Positioned::of).collect(),
            inline: InlineFiles::of(context.files, context.plan),
        })
    }

    fn replace(&mut self, by: &Replacement<'_>) -> Result<(), EngineError> {
        self.files[by.entry] = Positioned::of(by.file);
        self.inline.replace(by);
        Ok(())
    }

    fn execute(&mut self, desc: &Desc, buffer: *mut u8) -> i32 {
        let file = &mut self.files[desc.file() as usize];
        if file.position != Some(desc.offset) {
            // SAFETY: no pointers; the worker keeps the descriptor open.
            if unsafe { libc::lseek(file.fd, desc.offset as i64, libc::SEEK_SET) } < 0 {
                file.position = None;
                return -errno();
            }
        }
        let moved = transfer::<VECTORED>(file.fd, desc, buffer);
        file.position = u64::try_from(moved).ok().map(|n| desc.offset + n);
        moved
    }

    fn control(&mut self, desc: &Desc) -> i32 {
        self.inline.control(desc)
    }
}

fn transfer<const VECTORED: bool>(fd: RawFd, desc: &Desc, buffer: *mut u8) -> i32 {
    let len = desc.len() as usize;
    let vector = libc::iovec { iov_base: buffer.cast(), iov_len: len };
    // SAFETY: the slot buffer holds `len` bytes, and nobody else uses it until
    // the call returns; the vector lives on this stack.
    bytes_or_errno(unsafe {
        match (VECTORED, desc.op()) {
            (false, Op::Read) => libc::read(fd, buffer.cast(), len),
            (false, _) => libc::write(fd, buffer.cast(), len),
            (true, Op::Read) => libc::readv(fd, &vector, 1),
            (true, _) => libc::writev(fd, &vector, 1),
        }
    })
}
