//! The end of a worker: `end_fsync`, `fsync_on_close`.
//!
//! They belong to the measured window, as in fio: a buffered write job that is
//! asked to sync at its end has not finished before the data is safe.

use crate::worker::{Worker, failure};
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;
use fathom_results::JobFailure;
use std::io;
use std::os::fd::{AsRawFd, RawFd};

/// Does a job sync its files at its end?
pub fn syncs(plan: &PlannedJob) -> bool {
    plan.writes() && (plan.job.get(&opt::END_FSYNC) || plan.job.get(&opt::FSYNC_ON_CLOSE))
}

/// Syncs the files of a writing job that asks for it.
pub fn sync_at_end(worker: &mut Worker<'_>) -> Result<(), JobFailure> {
    if !syncs(worker.plan) {
        return Ok(());
    }
    for (at, planned) in worker.plan.files.iter().enumerate() {
        let fd = worker.files[at].fd.as_raw_fd();
        let start = worker.recorder.clock.now();
        worker.lend(|| fsync(fd)).map_err(|e| {
            failure(e.raw_os_error().unwrap_or(0), format!("{}: fsync at the end: {e}", planned.path))
        })?;
        let seen = worker.recorder.clock.now_ordered();
        worker.recorder.add_sync(start, seen);
    }
    worker.recorder.end_usage();
    Ok(())
}

fn fsync(fd: RawFd) -> io::Result<()> {
    // SAFETY: no pointers; a descriptor that is not open is an error.
    if unsafe { libc::fsync(fd) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
