//! The page cache of files before the first I/O, and between two passes: `invalidate`, `pre_read`, `fadvise_hint`.

use crate::sink::Stop;
use crate::target::{OpenHow, OpenTarget, TargetSource};
use fathom_job::options as opt;
use fathom_job::plan::{PlannedFile, PlannedJob};
use std::io;
use std::os::fd::AsRawFd;

/// `BLKFLSBUF` of linux/fs.h: writes back and drops a device's buffers.
const BLKFLSBUF: libc::c_ulong = 0x1261;

/// Puts the page cache of a job's files into the state that the job asks for.
pub fn settle_cache(
    plan: &PlannedJob,
    files: &[OpenTarget],
    targets: &dyn TargetSource,
    stop: &Stop,
) -> io::Result<()> {
    let job = &plan.job;
    for (file, planned) in files.iter().zip(&plan.files) {
        if job.get(&opt::PRE_READ) {
            read_all(file, planned.offset.0, planned.size.0, stop)?;
        }
        settle_opened(plan, planned, file);
    }
    if !job.get(&opt::PRE_READ) {
        return Ok(());
    }
    // The files that are opened later, in the course of the job.
    let others = plan.files.iter().skip(files.len());
    for planned in others.filter(|planned| planned.is_on_machine()) {
        let file = targets.open(&planned.path, OpenHow::default())?;
        read_all(&file, planned.offset.0, planned.size.0, stop)?;
    }
    Ok(())
}

/// Drops the cached pages of files between two passes over them.
pub fn drop_cache(plan: &PlannedJob, files: &[OpenTarget]) {
    for (file, planned) in files.iter().zip(&plan.files) {
        invalidate(file, (planned.offset.0 as i64, planned.size.0 as i64));
    }
}

/// The same for a file that is opened in the course of a job.
pub fn settle_opened(plan: &PlannedJob, planned: &PlannedFile, file: &OpenTarget) {
    let range = (planned.offset.0 as i64, planned.size.0 as i64);
    if plan.job.get(&opt::INVALIDATE) && !plan.job.get(&opt::PRE_READ) {
        invalidate(file, range);
    }
    advise(file, range, advice(plan));
}

/// Drops cached pages, as far as possible, as in fio: a device that others hold
/// open, or a filesystem without the call, keeps its pages. Direct I/O does not
/// use them anyway.
fn invalidate(file: &OpenTarget, range: (i64, i64)) {
    if file.is_block {
        // SAFETY: takes no argument; the descriptor is open.
        unsafe { libc::ioctl(file.fd.as_raw_fd(), BLKFLSBUF, 0) };
    } else {
        advise(file, range, libc::POSIX_FADV_DONTNEED);
    }
}

fn advise(file: &OpenTarget, (offset, len): (i64, i64), advice: libc::c_int) {
    // SAFETY: no pointers; the descriptor is open. If the advice fails, the
    // figures show any effect that this has on the measurement.
    unsafe { libc::posix_fadvise(file.fd.as_raw_fd(), offset, len, advice) };
}

fn advice(plan: &PlannedJob) -> libc::c_int {
    match plan.job.get(&opt::FADVISE_HINT) {
        "0" => libc::POSIX_FADV_NORMAL,
        "random" => libc::POSIX_FADV_RANDOM,
        "sequential" => libc::POSIX_FADV_SEQUENTIAL,
        "noreuse" => libc::POSIX_FADV_NOREUSE,
        _ if plan.rw.random => libc::POSIX_FADV_RANDOM,
        _ => libc::POSIX_FADV_SEQUENTIAL,
    }
}

/// Ends early when the job is asked to stop, because it will not measure then.
fn read_all(file: &OpenTarget, mut offset: u64, size: u64, stop: &Stop) -> io::Result<()> {
    let mut buffer = vec![0u8; 1 << 20];
    let end = offset + size;
    while offset < end && stop.requested().is_none() {
        let want = buffer.len().min((end - offset) as usize);
        // SAFETY: the buffer holds `want` bytes.
        let got =
            unsafe { libc::pread(file.fd.as_raw_fd(), buffer.as_mut_ptr().cast(), want, offset as i64) };
        match got {
            1.. => offset += got as u64,
            0 => return Ok(()),
            _ => return Err(io::Error::last_os_error()),
        }
    }
    Ok(())
}
