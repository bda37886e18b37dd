//! The end of a worker: `end_fsync`, `fsync_on_close`.
//!
//! They belong to the measured window, as in fio: a buffered write job that is
//! asked to sync at its end is finished only when the data is safe.

use crate::worker::{Worker, failure};
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;
use fathom_results::JobFailure;
use std::io;
use std::os::fd::{AsRawFd, RawFd};

pub fn syncs(plan: &PlannedJob) -> bool {
    plan.writes() && (plan.job.get(&opt::END_FSYNC) || plan.job.get(&opt::FSYNC_ON_CLOSE))
}

pub fn sync_at_end(worker: &mut Worker<'_>) -> Result<(), JobFailure> {
    if !syncs(worker.plan) {
        return Ok(());
    }
    for entry in 0..worker.files.len() {
        sync(worker, entry)?;
    }
    worker.recorder.end_usage();
    Ok(())
}

/// Syncs one of the open files, which is to be closed.
pub fn sync(worker: &mut Worker<'_>, entry: usize) -> Result<(), JobFailure> {
    let fd = worker.files[entry].fd.as_raw_fd();
    let start = worker.recorder.clock.now();
    worker.lend(|| fsync(fd)).map_err(|e| {
        let path = &worker.plan.files[worker.file_of(entry as u32) as usize].path;
        failure(e.raw_os_error().unwrap_or(0), format!("{path}: fsync at the end: {e}"))
    })?;
    let seen = worker.recorder.clock.now_ordered();
    worker.recorder.add_sync(start, seen);
    Ok(())
}

fn fsync(fd: RawFd) -> io::Result<()> {
    // SAFETY: no pointers; a descriptor that is not open is an error.
    if unsafe { libc::fsync(fd) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
