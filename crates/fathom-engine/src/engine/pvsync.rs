//! `pvsync` and `pvsync2`: preadv(2)/pwritev(2), and their second versions
//! with per-I/O flags (`hipri`, `nowait`, `uncached`).

use super::inline::InlineFiles;
use super::{Context, EngineEntry, EngineError, Replacement, SyncEngine, bytes_or_errno};
use crate::desc::{Desc, Op};
use crate::source::seed::{Random, fresh_seed};
use fathom_job::options as opt;

/// `pvsync` in the registry.
pub const PVSYNC: EngineEntry = EngineEntry::sync::<Pvsync<false>>("pvsync");

/// `pvsync2` in the registry.
pub const PVSYNC2: EngineEntry = EngineEntry::sync::<Pvsync<true>>("pvsync2");

/// `RWF_DONTCACHE` of linux/fs.h (6.14).
pub(super) const RWF_DONTCACHE: i32 = 0x80;

/// A job's files and flags.
pub struct Pvsync<const FLAGS: bool> {
    inline: InlineFiles,
    flags: i32,
    /// What writes have besides.
    write_flags: i32,
    /// With `hipri_percentage`: percent of the I/Os that are polled for.
    polled: Option<(u32, Random)>,
}

impl<const FLAGS: bool> SyncEngine for Pvsync<FLAGS> {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        let job = &context.plan.job;
        let (is_polled, share) = (FLAGS && job.get(&opt::HIPRI), job.get(&opt::HIPRI_PERCENTAGE));
        let flag = |on: bool, flag: i32| if on && FLAGS { flag } else { 0 };
        Ok(Pvsync {
            inline: InlineFiles::of(context.files, context.plan),
            polled: (is_polled && share < 100).then(|| (share, Random::new(fresh_seed()))),
            flags: flag(job.get(&opt::NOWAIT), libc::RWF_NOWAIT)
                | flag(job.get(&opt::UNCACHED), RWF_DONTCACHE)
                | flag(is_polled && share == 100, libc::RWF_HIPRI),
            write_flags: flag(job.get(&opt::ATOMIC), libc::RWF_ATOMIC),
        })
    }

    fn replace(&mut self, by: &Replacement<'_>) -> Result<(), EngineError> {
        self.inline.replace(by);
        Ok(())
    }

    fn execute(&mut self, desc: &Desc, buffer: *mut u8) -> i32 {
        let fd = self.inline.fd(desc);
        let vector = libc::iovec { iov_base: buffer.cast(), iov_len: desc.len() as usize };
        let offset = desc.offset as i64;
        if !FLAGS {
            // SAFETY: the slot buffer holds `len` bytes, unused by others
            // until the call returns; the vector lives on this stack.
            return bytes_or_errno(unsafe {
                match desc.op() {
                    Op::Read => libc::preadv(fd, &vector, 1, offset),
                    _ => libc::pwritev(fd, &vector, 1, offset),
                }
            });
        }
        let is_drawn = self.polled.as_mut().is_some_and(|(share, random)| random.percent(*share));
        let flags = if is_drawn { self.flags | libc::RWF_HIPRI } else { self.flags };
        // SAFETY: as above.
        bytes_or_errno(unsafe {
            match desc.op() {
                Op::Read => libc::preadv2(fd, &vector, 1, offset, flags),
                _ => libc::pwritev2(fd, &vector, 1, offset, flags | self.write_flags),
            }
        })
    }

    fn control(&mut self, desc: &Desc) -> i32 {
        self.inline.control(desc)
    }
}
