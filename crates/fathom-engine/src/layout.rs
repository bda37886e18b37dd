//! Layout: files are made as long as the jobs need them, before any starts.
//!
//! A file that will be read is filled with data that does not compress and does
//! not repeat, in the file or in another one; a file that is only written gets its
//! space reserved. Files are laid out one after another, so that layout never
//! competes with itself.

use crate::sink::Stop;
use crate::source::seed::{Random, fresh_seed};
use crate::target::{OpenHow, TargetSource};
use crate::worker::failure;
use fathom_job::direction::Direction;
use fathom_job::options as opt;
use fathom_job::plan::{PlannedFile, PlannedJob, TargetKind};
use fathom_results::JobFailure;
use rustix::fs::{FallocateFlags, fallocate, fsync, ftruncate};
use rustix::io::{Errno, pwrite};
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

/// Bytes per layout write: large enough for any device's full bandwidth.
const CHUNK: usize = 1 << 20;

/// How often a fill reports how far it is.
const TELL: Duration = Duration::from_millis(250);

/// What layout does now. The watchdog needs this to know how long it may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutStep {
    /// Looks at files, opens them, reserves blocks.
    Opens,
    /// Writes data; reported again and again while it goes on.
    Fills {
        /// Bytes written for this clone so far.
        bytes: u64,
    },
    Syncs,
}

pub type StepListener<'a> = &'a dyn Fn(LayoutStep);

/// Remembers what was laid out, since clones share files.
#[derive(Debug)]
pub struct FileLayout<'a> {
    reach: HashMap<&'a str, u64>,
    /// What files are filled with.
    random: Random,
}

impl Default for FileLayout<'_> {
    fn default() -> Self {
        FileLayout { reach: HashMap::new(), random: Random::new(fresh_seed()) }
    }
}

impl<'a> FileLayout<'a> {
    /// Makes the files of one clone long enough; returns the bytes written.
    pub fn prepare(
        &mut self,
        plan: &'a PlannedJob,
        targets: &dyn TargetSource,
        stop: &Stop,
        tell: StepListener<'_>,
    ) -> Result<u64, JobFailure> {
        let mut written = 0;
        for file in &plan.files {
            let reach = self.reach.get(file.path.as_str()).copied().or(file.length.map(|length| length.0));
            let is_regular = matches!(file.kind, TargetKind::File | TargetKind::Missing);
            if is_regular && reach.is_none_or(|reach| reach < file.needs.0) {
                tell(LayoutStep::Opens);
                let before = written;
                let tell = |step| match step {
                    LayoutStep::Fills { bytes } => tell(LayoutStep::Fills { bytes: before + bytes }),
                    step => tell(step),
                };
                written += extend(plan, file, targets, &mut self.random, stop, &tell)?;
                self.reach.insert(&file.path, file.needs.0);
            }
        }
        Ok(written)
    }
}

fn extend(
    plan: &PlannedJob,
    file: &PlannedFile,
    targets: &dyn TargetSource,
    random: &mut Random,
    stop: &Stop,
    tell: StepListener<'_>,
) -> Result<u64, JobFailure> {
    let job = &plan.job;
    let name = |e: io::Error| {
        failure(e.raw_os_error().unwrap_or(0), format!("{}: laying out {}: {e}", file.path, file.needs))
    };
    if stop.requested().is_some() {
        return Err(name(interrupted()));
    }
    let must_fill = plan.uses(Direction::Read) || job.get(&opt::OVERWRITE);
    if file.kind == TargetKind::File && !must_fill && !plan.writes() {
        return Ok(0);
    }
    if file.kind == TargetKind::Missing && !job.get(&opt::ALLOW_FILE_CREATE) {
        return Err(failure(libc::ENOENT, format!("{}: missing, and allow_file_create=0", file.path)));
    }
    // A file that is long enough is only read here, never opened for writing.
    if file.kind == TargetKind::File
        && targets.open(&file.path, OpenHow::default()).map_err(name)?.size >= file.needs.0
    {
        return Ok(0);
    }
    let target = targets.open(&file.path, OpenHow { write: true, ..OpenHow::default() }).map_err(name)?;
    if target.size >= file.needs.0 {
        return Ok(0);
    }
    let fd = target.fd.as_fd();
    let how = job.get(&opt::FALLOCATE);
    let done = if must_fill {
        // The length grows with the data: a file that layout did not finish
        // is shorter, and the next run fills the rest.
        reserve_for_data(fd, file.needs.0, how)
            .and_then(|()| fill(fd, target.size..file.needs.0, random, stop, tell))
    } else {
        // A file has no pages beyond its end that a mapping could reach.
        let how = if plan.maps_files() && how == "none" { "truncate" } else { how };
        reserve(fd, file.needs.0, how).map(|()| 0)
    };
    if done.is_err() && file.kind == TargetKind::Missing {
        // A file that was not completed would only use up the disk.
        let _ = targets.unlink(&file.path);
    }
    let written = done.map_err(name)?;
    if job.get(&opt::CREATE_FSYNC) {
        tell(LayoutStep::Syncs);
        fsync(fd).map_err(|e| name(e.into()))?;
    }
    Ok(written)
}

/// `fallocate=`: native and posix reserve blocks, keep does so without
/// changing the length, truncate only sets it, none does nothing.
fn reserve(fd: BorrowedFd<'_>, length: u64, how: &str) -> io::Result<()> {
    let result = match how {
        "native" | "posix" => fallocate(fd, FallocateFlags::empty(), 0, length),
        "keep" => fallocate(fd, FallocateFlags::KEEP_SIZE, 0, length),
        "truncate" => ftruncate(fd, length),
        _ => Ok(()),
    };
    match result {
        // Filesystems without fallocate: the length alone, as fio does.
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(ftruncate(fd, length)?),
        other => Ok(other?),
    }
}

/// Reserves blocks for data that will be written now. If the filesystem cannot
/// do that, nothing is reserved.
fn reserve_for_data(fd: BorrowedFd<'_>, length: u64, how: &str) -> io::Result<()> {
    if !matches!(how, "native" | "posix" | "keep") {
        return Ok(());
    }
    match fallocate(fd, FallocateFlags::KEEP_SIZE, 0, length) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
        other => Ok(other?),
    }
}

fn interrupted() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "interrupted")
}

fn fill(
    fd: BorrowedFd<'_>,
    to_fill: Range<u64>,
    random: &mut Random,
    stop: &Stop,
    tell: StepListener<'_>,
) -> io::Result<u64> {
    let Range { start: from, end: to } = to_fill;
    // Files are often smaller than a chunk, and there may be many.
    let mut buffer = vec![0u8; CHUNK.min((to - from) as usize)];
    let (mut at, mut told) = (from, None::<Instant>);
    while at < to {
        if stop.requested().is_some() {
            return Err(interrupted());
        }
        if told.is_none_or(|told| told.elapsed() >= TELL) {
            tell(LayoutStep::Fills { bytes: at - from });
            told = Some(Instant::now());
        }
        let want = buffer.len().min((to - at) as usize);
        random.fill(&mut buffer[..want]);
        match pwrite(fd, &buffer[..want], at)? {
            0 => return Err(Errno::NOSPC.into()),
            moved => at += moved as u64,
        }
    }
    Ok(to - from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::planned;
    use crate::sink::StopReason;
    use crate::target::OpenTarget;
    use fathom_job::plan::Plan;
    use fathom_job::units::Bytes;
    use std::cell::RefCell;
    use std::fs::File;
    use std::path::PathBuf;

    /// Files of one directory, which are empty until they are laid out.
    struct Empty(PathBuf);

    impl TargetSource for Empty {
        fn open(&self, path: &str, _how: OpenHow) -> io::Result<OpenTarget> {
            let path = self.0.join(path);
            let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
            let size = file.metadata()?.len();
            Ok(OpenTarget { fd: file.into(), is_block: false, size, commands: None })
        }
        fn unlink(&self, path: &str) -> io::Result<()> {
            std::fs::remove_file(self.0.join(path))
        }
    }

    /// The steps that are reported for the layout of two files of 128 KiB, and how it ends.
    fn steps_of(options: &str, stop: &Stop) -> (Vec<String>, Result<u64, JobFailure>) {
        let dir = tempfile::tempdir().unwrap();
        let text = format!("[j]\nioengine=psync\nfilename=a:b\nrw=read\nsize=256k\n{options}\n");
        let (plan, steps) = (empty(&text), RefCell::new(Vec::new()));
        let tell = |step| steps.borrow_mut().push(format!("{step:?}"));
        let result = FileLayout::default().prepare(&plan.jobs[0], &Empty(dir.path().to_owned()), stop, &tell);
        (steps.into_inner(), result)
    }

    /// The plan of a text whose files exist, and are empty.
    fn empty(text: &str) -> Plan {
        let mut plan = planned(text);
        let files = &mut plan.jobs[0].files;
        let empty = |file: &PlannedFile| PlannedFile { length: Some(Bytes(0)), ..file.clone() };
        *files = files.iter().map(empty).collect();
        plan
    }

    #[test]
    fn every_step_is_told_before_it_is_done() {
        let (steps, result) = steps_of("create_fsync=1", &Stop::default());
        let (opens, syncs) = ("Opens", "Syncs");
        let fills = |bytes| format!("Fills {{ bytes: {bytes} }}");
        assert_eq!(steps, [opens, &fills(0), syncs, opens, &fills(128 << 10), syncs]);
        assert_eq!(result, Ok(256 << 10));
    }

    #[test]
    fn a_file_that_will_be_mapped_is_as_long_as_it_is_needed() {
        let length = |engine: &str| {
            let dir = tempfile::tempdir().unwrap();
            let text = format!("[j]\nioengine={engine}\nfilename=a\nrw=write\nsize=1m\nfallocate=none\n");
            let (plan, targets) = (empty(&text), Empty(dir.path().to_owned()));
            FileLayout::default().prepare(&plan.jobs[0], &targets, &Stop::default(), &|_| ()).unwrap();
            dir.path().join("a").metadata().unwrap().len()
        };
        assert_eq!((length("mmap"), length("psync")), (1 << 20, 0));
    }

    #[test]
    fn who_is_asked_to_stop_opens_nothing() {
        let stop = Stop::default();
        stop.request(StopReason::Interrupt);
        let (steps, result) = steps_of("", &stop);
        assert_eq!(steps, ["Opens"]);
        assert!(result.is_err_and(|why| why.message.contains("a: laying out 128 KiB: interrupted")));
    }
}
