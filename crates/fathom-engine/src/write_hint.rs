//! `write_hint`: how long the data of a file is expected to live, for the file system and the drive below it.

use crate::target::{OpenHow, OpenTarget, TargetSource};
use fathom_job::job::Job;
use fathom_job::options as opt;
use std::io;
use std::os::fd::AsRawFd;

/// `F_SET_RW_HINT` of linux/fcntl.h.
const F_SET_RW_HINT: i32 = 1036;

/// One of `RWH_WRITE_LIFE_…` of linux/fcntl.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteHint(u64);

impl WriteHint {
    /// The hint that a job gives, if it gives one.
    pub fn of(job: &Job) -> Option<WriteHint> {
        match job.get(&opt::WRITE_HINT)? {
            "none" => Some(WriteHint(1)),
            "short" => Some(WriteHint(2)),
            "medium" => Some(WriteHint(3)),
            "long" => Some(WriteHint(4)),
            _ => Some(WriteHint(5)),
        }
    }
}

/// Opens a target, and gives the hint to one that is opened for writing.
pub fn open(
    targets: &dyn TargetSource,
    path: &str,
    how: OpenHow,
    hint: Option<WriteHint>,
) -> io::Result<OpenTarget> {
    let target = targets.open(path, how)?;
    let Some(WriteHint(hint)) = hint.filter(|_| how.write) else { return Ok(target) };
    // SAFETY: the descriptor is open, and the kernel reads one u64 that outlives the call.
    match unsafe { libc::fcntl(target.fd.as_raw_fd(), F_SET_RW_HINT, &raw const hint) } {
        0 => Ok(target),
        _ => {
            let source = io::Error::last_os_error();
            Err(io::Error::new(
                source.kind(),
                format!("{path}: the kernel does not take write_hint: {source}"),
            ))
        }
    }
}
