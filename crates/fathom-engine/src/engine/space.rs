//! `falloc` and `ftruncate`: I/Os that change the space and the length of a file, and move no data.

use super::inline::InlineFiles;
use super::{Context, EngineEntry, EngineError, Replacement, SyncEngine, errno};
use crate::desc::{Desc, Op};

/// `falloc` in the registry.
pub const FALLOC: EngineEntry = EngineEntry::sync::<Space<false>>("falloc");
/// `ftruncate` in the registry.
pub const FTRUNCATE: EngineEntry = EngineEntry::sync::<Space<true>>("ftruncate");

/// A job's files.
pub struct Space<const TRUNCATES: bool> {
    inline: InlineFiles,
}

impl<const TRUNCATES: bool> SyncEngine for Space<TRUNCATES> {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        Ok(Space { inline: InlineFiles::of(context.files, context.plan) })
    }

    fn replace(&mut self, by: &Replacement<'_>) -> Result<(), EngineError> {
        self.inline.replace(by);
        Ok(())
    }

    /// The whole range counts where the call succeeds.
    fn execute(&mut self, desc: &Desc, _buffer: *mut u8) -> i32 {
        let (fd, offset, len) = (self.inline.fd(desc), desc.offset as i64, i64::from(desc.len()));
        let mode = if desc.op() == Op::Read { libc::FALLOC_FL_KEEP_SIZE } else { 0 };
        // SAFETY: no pointers; the worker keeps the descriptor open.
        let status = unsafe {
            match TRUNCATES {
                true => libc::ftruncate(fd, offset),
                false => libc::fallocate(fd, mode, offset, len),
            }
        };
        if status == 0 { desc.len() as i32 } else { -errno() }
    }

    /// A trim of a file punches a hole and keeps the length.
    fn control(&mut self, desc: &Desc) -> i32 {
        self.inline.control(desc)
    }
}
