//! The page cache of files before the first I/O, and between two passes: `invalidate`, `pre_read`, `fadvise_hint`.

use crate::sink::Stop;
use crate::target::{OpenHow, OpenTarget, TargetSource};
use fathom_job::options as opt;
use fathom_job::plan::{PlannedFile, PlannedJob};
use fathom_results::CachedFile;
use rustix::fs::{Advice, fadvise};
use rustix::io::pread;
use std::io;
use std::num::NonZeroU64;
use std::os::fd::AsRawFd;

/// `BLKFLSBUF` of linux/fs.h: writes back and drops a device's buffers.
const BLKFLSBUF: libc::c_ulong = 0x1261;

/// Puts the page cache of a job's files into the state that the job asks for. Returns the files whose pages could not be dropped.
pub fn settle_cache(
    plan: &PlannedJob,
    files: &[OpenTarget],
    targets: &dyn TargetSource,
    stop: &Stop,
) -> io::Result<Vec<CachedFile>> {
    let mut cached = Vec::new();
    for (n, (file, planned)) in files.iter().zip(&plan.files).enumerate() {
        if pre_reads(plan) {
            read_all(file, planned.offset.0, planned.size.0, stop)?;
        }
        if let Err(e) = settle_opened(plan, planned, file) {
            cached.push(CachedFile { file: n as u32, errno: e.raw_os_error().unwrap_or(0) });
        }
    }
    if !pre_reads(plan) {
        return Ok(cached);
    }
    // The files that are opened later, in the course of the job.
    let others = plan.files.iter().skip(files.len());
    for planned in others.filter(|planned| planned.is_on_machine()) {
        let file = targets.open(&planned.path, OpenHow::default())?;
        read_all(&file, planned.offset.0, planned.size.0, stop)?;
    }
    Ok(cached)
}

/// Are the files read into the cache before the start?
fn pre_reads(plan: &PlannedJob) -> bool {
    plan.job.get(&opt::PRE_READ) && plan.reads_back.is_none()
}

/// Drops the cached pages of files between two passes over them. Where passes are read back, the pages are written first, so that
/// they can be dropped.
pub fn drop_cache(plan: &PlannedJob, files: &[OpenTarget]) {
    for (file, planned) in files.iter().zip(&plan.files) {
        if plan.verifies_passes() {
            let _ = file.sync();
        }
        let _ = invalidate(file, planned);
    }
}

/// The same for a file that is opened in the course of a job. An error means that pages stayed in the cache, which matters
/// only to a job that reads back what was written.
pub fn settle_opened(plan: &PlannedJob, planned: &PlannedFile, file: &OpenTarget) -> io::Result<()> {
    let mut dropped = Ok(());
    // What is read back must come from the target, whatever its writer asked for.
    if plan.reads_back.is_some() || (plan.job.get(&opt::INVALIDATE) && !plan.job.get(&opt::PRE_READ)) {
        dropped = invalidate(file, planned);
    }
    // If this advice fails, the figures show any effect that it has on the measurement.
    let _ = advise(file, planned, advice(plan));
    dropped
}

/// Drops cached pages, as far as possible, as in fio: a device that others hold
/// open, or a filesystem without the call, keeps its pages. Direct I/O does not
/// use them anyway.
fn invalidate(file: &OpenTarget, planned: &PlannedFile) -> io::Result<()> {
    if file.is_node() {
        // Commands pass the page cache.
        return Ok(());
    }
    if !file.is_block {
        return advise(file, planned, Advice::DontNeed);
    }
    // SAFETY: takes no argument; the descriptor is open.
    match unsafe { libc::ioctl(file.fd.as_raw_fd(), BLKFLSBUF, 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn advise(file: &OpenTarget, planned: &PlannedFile, advice: Advice) -> io::Result<()> {
    // A length of 0 means the rest of the file, as in the system call.
    Ok(fadvise(&file.fd, planned.offset.0, NonZeroU64::new(planned.size.0), advice)?)
}

fn advice(plan: &PlannedJob) -> Advice {
    match plan.job.get(&opt::FADVISE_HINT) {
        "0" => Advice::Normal,
        "random" => Advice::Random,
        "sequential" => Advice::Sequential,
        "noreuse" => Advice::NoReuse,
        _ if plan.rw.random => Advice::Random,
        _ => Advice::Sequential,
    }
}

/// Ends early when the job is asked to stop, because it will not measure then.
fn read_all(file: &OpenTarget, mut offset: u64, size: u64, stop: &Stop) -> io::Result<()> {
    let mut buffer = vec![0u8; 1 << 20];
    let end = offset + size;
    while offset < end && stop.requested().is_none() {
        let want = buffer.len().min((end - offset) as usize);
        match pread(&file.fd, &mut buffer[..want], offset)? {
            0 => return Ok(()),
            got => offset += got as u64,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::planned;
    use crate::target::NoTargets;

    #[test]
    fn a_cache_that_cannot_be_dropped_before_reading_back_is_named() {
        let file = tempfile::tempfile().unwrap();
        let plan = planned("[j]\nioengine=psync\nfilename=f\nrw=write\nsize=1m\nverify=crc32c\n");
        let cached = |is_block| {
            let target =
                OpenTarget { fd: file.try_clone().unwrap().into(), is_block, size: 0, commands: None };
            settle_cache(&plan.jobs[1], &[target], &NoTargets, &Stop::default()).unwrap()
        };
        assert_eq!(cached(false), []);
        // A file is no device whose buffers could be dropped.
        assert_eq!(cached(true), [CachedFile { file: 0, errno: libc::ENOTTY }]);
    }
}
