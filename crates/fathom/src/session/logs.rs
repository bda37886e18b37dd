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
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

/// The open logs of a run.
pub struct Logs {
    jobs: Vec<JobLogs>,
    files: HashMap<PathBuf, BufWriter<File>>,
}

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
        let jobs: Vec<JobLogs> = plan.jobs.iter().map(|planned| JobLogs::of(planned, dir)).collect();
        let mut files = HashMap::new();
        for path in jobs.iter().flat_map(JobLogs::paths) {
            // With per_job_logs=0 several jobs share a file.
            if let Entry::Vacant(new) = files.entry(path) {
                let file = create(new.key(), place)?;
                new.insert(BufWriter::new(file));
            }
        }
        Ok(Logs { jobs, files })
    }

    /// Appends samples to their files; flushed at every hand-over, so that a
    /// kill loses less than a window.
    pub fn write(&mut self, chunk: &LogChunk) -> io::Result<()> {
        let Some(job) = self.jobs.get(chunk.job as usize) else { return Ok(()) };
        for sample in &chunk.samples {
            let file = job.path(sample.kind).and_then(|path| self.files.get_mut(&path));
            if let Some(file) = file {
                writeln!(file, "{}", job.line(sample))?;
            }
        }
        self.finish()
    }

    /// Everything is in.
    pub fn finish(&mut self) -> io::Result<()> {
        self.files.values_mut().try_for_each(BufWriter::flush)
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
        }
    }

    fn paths(&self) -> impl Iterator<Item = PathBuf> {
        use LogKind::{Bandwidth, Completion, Iops, Submission, Total};
        let kinds = [Bandwidth, Iops, Submission, Completion, Total];
        kinds.into_iter().filter(|k| self.has_submission || *k != Submission).filter_map(|k| self.path(k))
    }

    fn path(&self, kind: LogKind) -> Option<PathBuf> {
        let (prefix, suffix) = match kind {
            LogKind::Bandwidth => (&self.bandwidth, "bw"),
            LogKind::Iops => (&self.iops, "iops"),
            LogKind::Submission => (&self.latency, "slat"),
            LogKind::Completion => (&self.latency, "clat"),
            LogKind::Total => (&self.latency, "lat"),
        };
        let prefix = prefix.as_ref()?;
        let number = self.number.map(|n| format!(".{n}")).unwrap_or_default();
        Some(self.dir.join(format!("{prefix}_{suffix}{number}.log")))
    }

    /// fio's columns: time ms, value, maximum if asked for, direction, block size,
    /// offset if asked for, priority.
    fn line(&self, s: &LogSample) -> String {
        let direction = match s.direction {
            Direction::Read => 0,
            Direction::Write => 1,
            Direction::Trim => 2,
        };
        let value = if self.maximum { s.value_max } else { s.value };
        let maximum = if self.both { format!(", {}", s.value_max) } else { String::new() };
        let offset = if self.offset { format!(", {}", s.offset) } else { String::new() };
        format!(
            "{}, {value}{maximum}, {direction}, {}{offset}, 0",
            self.epoch_ms + s.at_ns / 1_000_000,
            s.bytes
        )
    }
}

fn unix_ms() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |d| d.as_millis() as u64)
}
