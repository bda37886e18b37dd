//! fio-style log files, written as the samples come.

use fathom_engine::log::{LogChunk, LogKind, LogSample};
use fathom_job::direction::Direction;
use fathom_job::options as opt;
use fathom_job::plan::Plan;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

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
    both: bool,
    maximum: bool,
    offset: bool,
    epoch_ms: u64,
}

impl Logs {
    /// The logs that the plan asks for, in `dir`, or where their prefix says
    /// from the current directory.
    pub fn new(plan: &Plan, dir: Option<&Path>) -> Self {
        let jobs = plan.jobs.iter().map(|planned| {
            let job = &planned.job;
            // A log option without a prefix takes the job's name, as in fio.
            let prefix = |key| {
                job.is_given(key).then(|| job.given(key).flatten().unwrap_or_else(|| planned.name.clone()))
            };
            let value = job.get(&opt::LOG_WINDOW_VALUE);
            JobLogs {
                bandwidth: prefix(&opt::WRITE_BW_LOG),
                iops: prefix(&opt::WRITE_IOPS_LOG),
                latency: prefix(&opt::WRITE_LAT_LOG),
                number: job.get(&opt::PER_JOB_LOGS).then_some(planned.id + 1),
                dir: dir.map_or_else(PathBuf::new, Path::to_owned),
                both: value == "both",
                maximum: value == "max",
                offset: job.get(&opt::LOG_OFFSET),
                epoch_ms: if job.get(&opt::LOG_ALTERNATE_EPOCH) { unix_ms() } else { 0 },
            }
        });
        Logs { jobs: jobs.collect(), files: HashMap::new() }
    }

    /// Appends samples to their files.
    pub fn write(&mut self, chunk: &LogChunk) -> io::Result<()> {
        let Some(job) = self.jobs.get(chunk.job as usize) else { return Ok(()) };
        for sample in &chunk.samples {
            let Some(path) = job.path(sample.kind) else { continue };
            let file = match self.files.entry(path) {
                std::collections::hash_map::Entry::Occupied(open) => open.into_mut(),
                std::collections::hash_map::Entry::Vacant(new) => {
                    let file = BufWriter::new(File::create(new.key())?);
                    new.insert(file)
                }
            };
            writeln!(file, "{}", job.line(sample))?;
        }
        // Kept at every hand-over: a kill loses less than a window.
        self.files.values_mut().try_for_each(BufWriter::flush)
    }

    /// Everything is in.
    pub fn finish(&mut self) -> io::Result<()> {
        self.files.values_mut().try_for_each(BufWriter::flush)
    }
}

impl JobLogs {
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
