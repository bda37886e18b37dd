//! fio-style log files, written as the samples come.
//!
//! Opened before the run starts, so that a wrong place is an error then. A
//! prefix comes from a job file, which gives no consent: `fathom run` keeps
//! logs inside the run's directory; at fio's door they go where fio puts them,
//! but never through a link, and only into regular files.

use crate::failure::{Exit, Failure};
use crate::place::{self, InUse};
use fathom_engine::log::{LogChunk, LogKind, LogSample};
use fathom_job::direction::Direction;
use fathom_job::options as opt;
use fathom_job::plan::{Plan, PlannedJob};
use fathom_text::carried::to_path;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

/// The open logs of a run.
pub struct Logs {
    jobs: Vec<JobLogs>,
    files: Vec<BufWriter<File>>,
}

/// Bytes of lines before they are written.
const BUFFER: usize = 256 << 10;

/// All kinds of logs, in the order of [`JobLogs::files`].
const KINDS: [LogKind; 5] =
    [LogKind::Bandwidth, LogKind::Iops, LogKind::Submission, LogKind::Completion, LogKind::Total];

/// How one job's logs look.
struct JobLogs {
    bandwidth: Option<String>,
    iops: Option<String>,
    latency: Option<String>,
    /// Number in the file name; `None` with `per_job_logs=0`.
    number: Option<u32>,
    dir: PathBuf,
    has_submission: bool,
    both: bool,
    maximum: bool,
    offset: bool,
    epoch_ms: u64,
    /// By kind: which of the files takes its lines.
    files: [Option<usize>; 5],
}

/// Where logs go.
#[derive(Clone, Copy)]
pub enum Where<'a> {
    /// To the directory of the run.
    Run(&'a Path),
    /// Where their prefix says, from the current directory; but none of these
    /// files is emptied.
    Here(&'a InUse),
}

impl<'a> Where<'a> {
    /// Beside the files in use, or else in the run's directory.
    pub fn of(here: Option<&'a InUse>, dir: &'a Path) -> Self {
        here.map_or(Where::Run(dir), Where::Here)
    }
}

impl Logs {
    /// Opens the logs that the plan asks for.
    pub fn open(plan: &Plan, place: Where<'_>) -> Result<Self, Failure> {
        let dir = match place {
            Where::Run(dir) => Some(dir),
            Where::Here(_) => None,
        };
        let mut jobs: Vec<JobLogs> = plan.jobs.iter().map(|planned| JobLogs::of(planned, dir)).collect();
        let (mut files, mut known) = (Vec::new(), HashMap::new());
        for job in &mut jobs {
            for kind in KINDS {
                let Some(path) = job.path(kind) else { continue };
                // With per_job_logs=0 several jobs share a file.
                let index = match known.entry(path) {
                    Entry::Occupied(old) => *old.get(),
                    Entry::Vacant(new) => {
                        let file = create(new.key(), place)?;
                        files.push(BufWriter::with_capacity(BUFFER, file));
                        *new.insert(files.len() - 1)
                    }
                };
                job.files[kind as usize] = Some(index);
            }
        }
        Ok(Logs { jobs, files })
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Appends the lines of a chunk to their files.
    pub fn write(&mut self, chunk: &LogChunk) -> io::Result<()> {
        let Logs { jobs, files } = self;
        let Some(job) = jobs.get(chunk.job as usize) else { return Ok(()) };
        let mut outcome = Ok(());
        chunk.each(|sample| {
            let file = job.files[sample.kind as usize].and_then(|index| files.get_mut(index));
            if let (Some(file), Ok(())) = (file, &outcome) {
                outcome = job.write_line(file, &sample);
            }
        });
        outcome
    }

    /// Hands everything so far to the kernel, so that a kill loses none of it.
    pub fn flush(&mut self) -> io::Result<()> {
        self.files.iter_mut().try_for_each(BufWriter::flush)
    }
}

/// Makes a log. In the run's directory every name is new; elsewhere an older
/// log is emptied, as fio does.
fn create(path: &Path, place: Where<'_>) -> Result<File, Failure> {
    match place {
        Where::Run(dir) => create_in(dir, path).map_err(|e| refused(path, e)),
        Where::Here(in_use) => create_here(path, in_use),
    }
}

fn create_in(dir: &Path, path: &Path) -> io::Result<File> {
    let below = path.strip_prefix(dir).unwrap_or(path);
    if !below.components().all(|c| matches!(c, Component::Normal(_))) || below == path {
        return Err(io::Error::other("a log of `fathom run` stays in the run's directory"));
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    open_how().create_new(true).open(path)
}

fn create_here(path: &Path, in_use: &InUse) -> Result<File, Failure> {
    let failed = |e| refused(path, e);
    let kept = |why: &str| {
        let said = format!("refused to write the log {}: it {why}", path.display());
        Failure::new(Exit::Refused, said).hint("give the log another prefix")
    };
    if let Some(user) = in_use.user_of(path) {
        return Err(kept(&format!("is {user}")));
    }
    let mut file = open_how().read(true).create(true).truncate(false).open(path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(failed(io::Error::other("it is no regular file")));
    }
    if place::is_saved(path, &mut file).map_err(failed)? {
        return Err(kept("belongs to a saved run"));
    }
    file.set_len(0).and_then(|()| file.rewind()).map_err(failed)?;
    Ok(file)
}

fn open_how() -> OpenOptions {
    let mut how = OpenOptions::new();
    how.write(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    how
}

fn refused(path: &Path, e: io::Error) -> Failure {
    Failure::new(Exit::Usage, format!("cannot make the log {}: {e}", path.display()))
        .hint("write_bw_log, write_iops_log and write_lat_log take the beginning of a file name")
}

impl JobLogs {
    fn of(planned: &PlannedJob, dir: Option<&Path>) -> Self {
        let job = &planned.job;
        // A log option without a prefix takes the job's name, as in fio.
        let prefix =
            |key| job.is_given(key).then(|| job.given(key).flatten().unwrap_or_else(|| planned.name.clone()));
        let value = job.get(&opt::LOG_WINDOW_VALUE);
        JobLogs {
            bandwidth: prefix(&opt::WRITE_BW_LOG),
            iops: prefix(&opt::WRITE_IOPS_LOG),
            latency: prefix(&opt::WRITE_LAT_LOG),
            number: job.get(&opt::PER_JOB_LOGS).then_some(planned.id + 1),
            dir: dir.map_or_else(PathBuf::new, Path::to_owned),
            has_submission: fathom_engine::engine::find(&planned.engine).is_some_and(|e| !e.is_sync),
            both: value == "both",
            maximum: value == "max",
            offset: job.get(&opt::LOG_OFFSET),
            epoch_ms: if job.get(&opt::LOG_ALTERNATE_EPOCH) { unix_ms() } else { 0 },
            files: [None; 5],
        }
    }

    /// Where the lines of a kind go, if the job asks for them.
    fn path(&self, kind: LogKind) -> Option<PathBuf> {
        if kind == LogKind::Submission && !self.has_submission {
            return None;
        }
        let (prefix, suffix) = match kind {
            LogKind::Bandwidth => (&self.bandwidth, "bw"),
            LogKind::Iops => (&self.iops, "iops"),
            LogKind::Submission => (&self.latency, "slat"),
            LogKind::Completion => (&self.latency, "clat"),
            LogKind::Total => (&self.latency, "lat"),
        };
        let prefix = prefix.as_ref()?;
        let number = self.number.map(|n| format!(".{n}")).unwrap_or_default();
        Some(self.dir.join(to_path(&format!("{prefix}_{suffix}{number}.log"))))
    }

    /// fio's columns: time ms, value, maximum if asked for, direction, block size,
    /// offset if asked for, priority.
    fn write_line(&self, file: &mut impl Write, s: &LogSample) -> io::Result<()> {
        let direction = match s.direction {
            Direction::Read => 0,
            Direction::Write => 1,
            Direction::Trim => 2,
        };
        let value = if self.maximum { s.value_max } else { s.value };
        let columns = [
            Some(self.epoch_ms + s.at_ns / 1_000_000),
            Some(value),
            self.both.then_some(s.value_max),
            Some(direction),
            Some(s.bytes),
            self.offset.then_some(s.offset),
        ];
        // Millions of lines a second: the numbers are written without the
        // formatting machinery.
        let mut digits = itoa::Buffer::new();
        for column in columns.into_iter().flatten() {
            file.write_all(digits.format(column).as_bytes())?;
            file.write_all(b", ")?;
        }
        file.write_all(b"0\n")
    }
}

fn unix_ms() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |d| d.as_millis() as u64)
}
