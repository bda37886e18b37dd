//! `psync`: pread(2) and pwrite(2), fio's default.

use super::inline::{InlineFiles, pread, pwrite};
use super::{Context, EngineEntry, EngineError, Replacement, SyncEngine};
use crate::desc::Desc;

/// The registry entry.
pub const ENTRY: EngineEntry = EngineEntry::sync::<Psync>("psync");

/// The descriptors of a job's files.
pub struct Psync {
    inline: InlineFiles,
}

impl SyncEngine for Psync {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        Ok(Psync { inline: InlineFiles::of(context.files, context.plan) })
    }

    fn replace(&mut self, by: &Replacement<'_>) -> Result<(), EngineError> {
        self.inline.replace(by);
        Ok(())
    }

    #[inline(always)]
    fn execute(&mut self, desc: &Desc, buffer: *mut u8) -> i32 {
        let fd = self.inline.fd(desc);
        match desc.is_write() {
            false => pread(fd, buffer, desc.len(), desc.offset),
            true => pwrite(fd, buffer, desc.len(), desc.offset),
        }
    }

    fn control(&mut self, desc: &Desc) -> i32 {
        self.inline.control(desc)
    }
}
