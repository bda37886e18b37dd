//! Operations that an engine does at once, in one system call, if it has no queued
//! form of them: the fsync family and trims.

use super::{Replacement, errno};
use crate::desc::{Desc, Op};
use crate::syscall::system_call;
use crate::target::OpenTarget;
use crate::zones::reset_zone;
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;
use std::os::fd::{AsRawFd, RawFd};

/// `BLKDISCARD` of linux/fs.h: `_IO(0x12, 119)`.
const BLKDISCARD: libc::c_ulong = 0x1277;

/// The open files of a job, for operations that are done at once.
#[derive(Clone, Debug)]
pub struct InlineFiles {
    files: Vec<InlineFile>,
    range_flags: u32,
}

#[derive(Clone, Copy, Debug)]
struct InlineFile {
    fd: RawFd,
    is_block: bool,
    /// A trim resets a zone.
    is_zoned: bool,
}

impl InlineFiles {
    /// All open files of a job. They must outlive the returned value, or be replaced.
    /// The worker guarantees that: it owns the open targets and drops the engine first.
    pub fn of(files: &[OpenTarget], plan: &PlannedJob) -> InlineFiles {
        let range = plan.job.get(&opt::SYNC_FILE_RANGE);
        let range_flags = range.map_or(0, |r| {
            let flag = |on: bool, flag: u32| if on { flag } else { 0 };
            flag(r.wait_before, libc::SYNC_FILE_RANGE_WAIT_BEFORE)
                | flag(r.write, libc::SYNC_FILE_RANGE_WRITE)
                | flag(r.wait_after, libc::SYNC_FILE_RANGE_WAIT_AFTER)
        });
        let mut files: Vec<InlineFile> = files.iter().map(InlineFile::of).collect();
        files.iter_mut().zip(&plan.files).for_each(|(open, file)| open.is_zoned = file.zones.is_some());
        InlineFiles { files, range_flags }
    }

    /// Replaces an open file by another one.
    pub fn replace(&mut self, by: &Replacement<'_>) {
        self.files[by.entry] = InlineFile::of(by.file);
    }

    /// The descriptor of the file of an I/O.
    #[inline(always)]
    pub fn fd(&self, desc: &Desc) -> RawFd {
        self.files[desc.file() as usize].fd
    }

    /// Does the whole operation; returns 0 or a negative errno.
    pub fn control(&self, desc: &Desc) -> i32 {
        let file = self.files[desc.file() as usize];
        let status = match desc.op() {
            // SAFETY: no pointers; the descriptor is open (see `of`).
            Op::Fsync => unsafe { libc::fsync(file.fd) },
            // SAFETY: as above.
            Op::Fdatasync => unsafe { libc::fdatasync(file.fd) },
            // SAFETY: as above; offset 0 and length 0 mean the whole file.
            Op::SyncRange => unsafe { libc::sync_file_range(file.fd, 0, 0, self.range_flags) },
            Op::Trim => file.trim(desc.offset, desc.bytes()),
            Op::Read | Op::Write => return -libc::EINVAL,
        };
        if status == 0 { 0 } else { -errno() }
    }
}

impl InlineFile {
    fn of(file: &OpenTarget) -> Self {
        InlineFile { fd: file.fd.as_raw_fd(), is_block: file.is_block, is_zoned: false }
    }

    /// While the guard holds the device exclusively, the kernel discards only
    /// ranges without dirty pages. If there are dirty pages, they are written first.
    fn discard(&self, range: [u64; 2]) -> i32 {
        // SAFETY: the kernel reads two u64 from an array that outlives the
        // call.
        let once = || unsafe { libc::ioctl(self.fd, BLKDISCARD, range.as_ptr()) };
        let status = once();
        if status == 0 || errno() != libc::EBUSY {
            return status;
        }
        // SAFETY: no pointers; the descriptor is open (see `of`).
        if unsafe { libc::fdatasync(self.fd) } != 0 { -1 } else { once() }
    }

    fn trim(&self, offset: u64, len: u64) -> i32 {
        if self.is_zoned {
            return reset_zone(self.fd, offset, len);
        }
        if self.is_block {
            return self.discard([offset, len]);
        }
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: no pointers; the descriptor is open.
        unsafe { libc::fallocate(self.fd, mode, offset as i64, len as i64) }
    }
}

/// pread(2), as a bare system call: the C library's wrapper is a cancellation
/// point, which costs 40 instructions more in a program with threads.
#[inline(always)]
pub(super) fn pread(fd: RawFd, buffer: *mut u8, len: u32, offset: u64) -> i32 {
    let args = [fd as u64, buffer as u64, u64::from(len), offset, 0, 0];
    // SAFETY: the worker's slot buffer holds at least `len` bytes, and nobody
    // else uses it until this returns.
    unsafe { system_call(libc::SYS_pread64, args) as i32 }
}

/// pwrite(2), likewise.
#[inline(always)]
pub(super) fn pwrite(fd: RawFd, buffer: *const u8, len: u32, offset: u64) -> i32 {
    let args = [fd as u64, buffer as u64, u64::from(len), offset, 0, 0];
    // SAFETY: as for `pread`.
    unsafe { system_call(libc::SYS_pwrite64, args) as i32 }
}
