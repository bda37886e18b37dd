//! fio-style log files, written while the samples arrive.
//!
//! They are opened before the run starts, so a path that does not work is an
//! error then. A prefix comes from a job file, which gives no consent. So
//! `fathom run` keeps logs inside the run's directory. `fathom fio` writes them
//! where fio writes them, but never through a link, and only to regular files.

mod aggregate;
mod file;
mod merged;
mod out;
mod packed;
mod recording;

pub use aggregate::AggregateLogs;
pub use packed::inflated;

use crate::exit::Failure;
use crate::outputs::InUse;
use crate::slow_look::SlowLook;
use fathom_engine::log::{LogChunk, LogColumns, LogKind};
use fathom_job::job::Job;
use fathom_job::options as opt;
use fathom_job::plan::{Plan, PlannedJob};
use fathom_text::carried::to_path;
use file::{LogFile, Maker};
use out::{Counted as LogLines, LogOut};
use recording::Recording;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::path::{Path, PathBuf};

/// The open logs of a run.
pub struct Logs {
    jobs: Vec<JobLogs>,
    files: Vec<LogOut>,
    /// The lines of one chunk in one log.
    text: Vec<u8>,
    /// CPUs of the thread that writes; empty for all.
    cpus: Vec<usize>,
}

/// All kinds of logs, in the order of [`JobLogs::files`].
const KINDS: [LogKind; 7] = [
    LogKind::Bandwidth,
    LogKind::Iops,
    LogKind::Submission,
    LogKind::Completion,
    LogKind::Total,
    LogKind::Histograms,
    LogKind::Issued,
];

/// Bytes of a piece of a compressed log without `log_compression`.
const PIECE: usize = 1 << 20;

/// Which logs a job has, and what their lines contain.
struct JobLogs {
    bandwidth: Option<String>,
    iops: Option<String>,
    latency: Option<String>,
    histograms: Option<String>,
    /// Number in the file name; `None` with `per_job_logs=0`.
    number: Option<u32>,
    dir: PathBuf,
    /// Which latencies are logged: of submission, of completion, in total.
    latencies: [bool; 3],
    /// Which logs are made and stay empty, as in fio: of bandwidth, of IOPS.
    stays_empty: [bool; 2],
    columns: LogColumns,
    /// Logs are stored compressed (`log_store_compressed`), in pieces of so many bytes.
    packs: bool,
    piece: usize,
    /// By kind of log: the index of the file for its lines.
    files: [Option<usize>; 7],
    /// The recording of what it issues.
    recording: Option<Recording>,
}

/// The place of the logs.
#[derive(Clone, Copy)]
pub enum Where<'a> {
    /// The directory of the run.
    Run(&'a Path),
    /// The path that their prefix gives, relative to the current directory. None of
    /// these files is emptied.
    Here(&'a InUse),
}

impl<'a> Where<'a> {
    /// The current directory, if the files in use are given; or else the run's directory.
    pub fn of(here: Option<&'a InUse>, dir: &'a Path) -> Self {
        here.map_or(Where::Run(dir), Where::Here)
    }
}

/// The logs that the plan asks for, where a run of `fathom fio` writes them.
pub fn log_paths(plan: &Plan) -> Vec<PathBuf> {
    let logs = JobLogs::of_all(plan, None).into_iter();
    let logs = logs.flat_map(|job| KINDS.into_iter().filter_map(move |kind| job.path(kind)));
    logs.chain(merged::of(plan, None).into_keys()).collect()
}

/// Why the first log of the plan that cannot be made in the run's directory cannot be.
pub fn impossible(plan: &Plan) -> Option<Failure> {
    log_paths(plan).into_iter().find_map(|path| Some(file::cannot(&path, file::why_not_in_a_run(&path)?)))
}

impl Logs {
    /// Opens the logs that the plan asks for.
    pub fn open(plan: &Plan, place: Where<'_>, slow_look: &SlowLook) -> Result<Self, Failure> {
        let dir = match place {
            Where::Run(dir) => Some(dir),
            Where::Here(_) => None,
        };
        let mut jobs = JobLogs::of_all(plan, dir);
        let (mut made, mut known) = (Vec::<(LogFile, Option<usize>)>::new(), HashMap::new());
        let maker = Maker::new(place);
        for job in &mut jobs {
            for kind in KINDS {
                let Some(path) = job.path(kind) else { continue };
                // With per_job_logs=0 several jobs share a file.
                let index = match known.entry(path) {
                    Entry::Occupied(old) => *old.get(),
                    Entry::Vacant(new) => {
                        slow_look.touch(new.key());
                        made.push((maker.open(new.key())?, job.piece_of(kind)));
                        *new.insert(made.len() - 1)
                    }
                };
                job.files[kind as usize] = Some(index);
            }
        }
        // No file is emptied before it is known that every log can be written.
        let emptied = |(log, piece): (LogFile, Option<usize>)| {
            log.emptied().map(|(path, file)| LogOut::new(path, file, piece))
        };
        let files = made.into_iter().map(emptied);
        let files = files.collect::<Result<_, Failure>>()?;
        merged::write(plan, dir, &maker)?;
        let cpus = plan.jobs.iter().find_map(|planned| planned.job.get(&opt::LOG_COMPRESSION_CPUS));
        let mut logs = Logs { jobs, files, text: Vec::new(), cpus: cpus.unwrap_or_default() };
        logs.each_recording(Recording::begin)
            .map_err(|e| Failure::new(crate::exit::Exit::Failed, format!("cannot write a recording: {e}")))?;
        Ok(logs)
    }

    /// All lines were written: in a log of several jobs those of one job follow those of the job before it, as in fio.
    pub fn finish(&mut self) -> io::Result<()> {
        self.each_recording(Recording::end)?;
        self.files.iter_mut().try_for_each(LogOut::end_piece)?;
        self.flush()?;
        // One that cannot be ordered keeps its lines, and the others are ordered.
        self.files.iter_mut().map(LogOut::order).fold(Ok(()), io::Result::and)
    }

    /// Writes lines to each recording of what a job issues.
    fn each_recording(&mut self, write: fn(&Recording, &mut LogLines) -> io::Result<()>) -> io::Result<()> {
        let Logs { jobs, files, .. } = self;
        for (id, job) in jobs.iter().enumerate() {
            let file = job.files[LogKind::Issued as usize].and_then(|index| files.get_mut(index));
            if let (Some(recording), Some(file)) = (&job.recording, file) {
                file.append(id as u32, |lines| write(recording, lines))?;
            }
        }
        Ok(())
    }

    /// The CPUs that the thread which writes may run on; empty for all.
    pub fn cpus(&self) -> &[usize] {
        &self.cpus
    }

    /// Whether there is no log.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Appends the lines of a chunk to their files.
    pub fn write(&mut self, chunk: &LogChunk) -> io::Result<()> {
        let Logs { jobs, files, text, .. } = self;
        let Some(job) = jobs.get_mut(chunk.job as usize) else { return Ok(()) };
        let file = job.files[LogKind::Issued as usize].and_then(|index| files.get_mut(index));
        if let (Some(file), Some(recording)) = (file, &mut job.recording) {
            file.append(chunk.job, |lines| recording.write(lines, &chunk.issued))?;
        }
        for kind in KINDS {
            let Some(file) = job.files[kind as usize].and_then(|index| files.get_mut(index)) else {
                continue;
            };
            text.clear();
            match kind {
                LogKind::Issued => continue,
                LogKind::Bandwidth if job.stays_empty[0] => continue,
                LogKind::Iops if job.stays_empty[1] => continue,
                LogKind::Histograms => chunk.append_histograms(text),
                _ if job.packs => job.columns.append_stored(chunk, kind, text),
                _ => job.columns.append(chunk, kind, text),
            }
            if !text.is_empty() {
                file.append_bytes(chunk.job, text)?;
            }
        }
        Ok(())
    }

    /// Passes everything so far to the kernel, so that nothing is lost if fathom is killed.
    pub fn flush(&mut self) -> io::Result<()> {
        self.files.iter_mut().try_for_each(LogOut::flush)
    }
}

impl JobLogs {
    /// The logs of all jobs. Recordings of the same name get a number each.
    fn of_all(plan: &Plan, dir: Option<&Path>) -> Vec<JobLogs> {
        let mut all: Vec<JobLogs> = plan.jobs.iter().map(|planned| JobLogs::of(planned, dir)).collect();
        let mut names: HashMap<String, u32> = HashMap::new();
        for recording in all.iter().filter_map(|job| job.recording.as_ref()) {
            *names.entry(recording.name.clone()).or_default() += 1;
        }
        for (job, planned) in all.iter_mut().zip(&plan.jobs) {
            if let Some(recording) = job.recording.as_mut().filter(|recording| names[&recording.name] > 1) {
                recording.name = format!("{}.{}", recording.name, planned.id + 1);
            }
        }
        all
    }

    fn of(planned: &PlannedJob, dir: Option<&Path>) -> Self {
        let job = &planned.job;
        // A log option without a prefix, or with an empty one, takes the job's name, as in fio.
        let given = |key| job.given(key).flatten().filter(|prefix: &String| !prefix.is_empty());
        let prefix = |key| job.is_given(key).then(|| given(key).unwrap_or_else(|| planned.name.clone()));
        JobLogs {
            bandwidth: prefix(&opt::WRITE_BW_LOG),
            iops: prefix(&opt::WRITE_IOPS_LOG),
            latency: prefix(&opt::WRITE_LAT_LOG),
            histograms: prefix(&opt::WRITE_HIST_LOG),
            number: job.get(&opt::PER_JOB_LOGS).then_some(planned.id + 1),
            dir: dir.map_or_else(PathBuf::new, Path::to_owned),
            latencies: latencies(planned),
            stays_empty: stays_empty(job),
            columns: LogColumns::of(job),
            packs: job.get(&opt::LOG_STORE_COMPRESSED),
            piece: match job.get(&opt::LOG_COMPRESSION).0 {
                0 => PIECE,
                bytes => bytes as usize,
            },
            files: [None; 7],
            recording: Recording::of(planned),
        }
    }

    /// The path of the log of this kind, if the job asks for one.
    fn path(&self, kind: LogKind) -> Option<PathBuf> {
        let [submission, completion, total] = self.latencies;
        let is_off = match kind {
            LogKind::Submission => !submission,
            LogKind::Completion => !completion,
            LogKind::Total => !total,
            LogKind::Bandwidth | LogKind::Iops | LogKind::Histograms => false,
            LogKind::Issued => return Some(self.dir.join(to_path(&self.recording.as_ref()?.name))),
        };
        if is_off {
            return None;
        }
        let (prefix, suffix) = match kind {
            LogKind::Bandwidth => (&self.bandwidth, "bw"),
            LogKind::Iops => (&self.iops, "iops"),
            LogKind::Submission => (&self.latency, "slat"),
            LogKind::Completion => (&self.latency, "clat"),
            LogKind::Total => (&self.latency, "lat"),
            LogKind::Histograms => (&self.histograms, "clat_hist"),
            LogKind::Issued => return None,
        };
        let prefix = prefix.as_ref()?;
        let number = self.number.map(|n| format!(".{n}")).unwrap_or_default();
        let end = if self.piece_of(kind).is_some() { ".fz" } else { "" };
        Some(self.dir.join(to_path(&format!("{prefix}_{suffix}{number}.log{end}"))))
    }

    /// The bytes of a compressed piece of this log, if it is compressed. fio's samples have no histograms.
    fn piece_of(&self, kind: LogKind) -> Option<usize> {
        (self.packs && LogKind::OF_VALUES.contains(&kind)).then_some(self.piece)
    }
}

/// The latencies that the job has logs of. One that is switched off has no log, as in fio; that of submission is empty with an
/// engine that does one I/O at a time, because programs look for the file.
fn latencies(planned: &PlannedJob) -> [bool; 3] {
    let job = &planned.job;
    let is_logged = |disabled| !job.get(&opt::GTOD_REDUCE) && !job.get(disabled);
    [is_logged(&opt::DISABLE_SLAT), is_logged(&opt::DISABLE_CLAT), is_logged(&opt::DISABLE_LAT)]
}

/// Which of the logs of bandwidth and of IOPS have no lines, because the job does not measure that.
fn stays_empty(job: &Job) -> [bool; 2] {
    let is_reduced = job.get(&opt::GTOD_REDUCE);
    [is_reduced || job.get(&opt::DISABLE_BW_MEASUREMENT), is_reduced]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::here::Here;
    use crate::notice::{Listener, Notice};
    use fathom_job::parse::{Adjust, load_text};
    use std::sync::Arc;

    struct NoListener;

    impl Listener for NoListener {
        fn notice(&self, _: Notice<'_>) {}
    }

    /// The names of the logs of one job, which is called `abc` in a section `s`.
    fn logs(options: &str) -> Vec<String> {
        let here = Here::new(Arc::new(NoListener));
        let text = format!("[s]\nname=abc\nioengine=null\nrw=read\nsize=4k\n{options}\n");
        let jobs = load_text("test", &text, &Adjust::default(), &here).unwrap();
        let plan = crate::planning::planned(&jobs, &here).unwrap();
        log_paths(&plan).into_iter().map(|path| path.display().to_string()).collect()
    }

    /// fio 3.33 names a log after the job, not after its section, where the option has no value.
    #[test]
    fn a_log_without_a_prefix_is_named_after_the_job() {
        assert_eq!(logs("write_bw_log"), ["abc_bw.1.log"]);
        assert_eq!(logs("write_iops_log="), ["abc_iops.1.log"]);
        assert_eq!(logs("write_bw_log=x/y"), ["x/y_bw.1.log"]);
    }

    /// fio 3.33 writes no log of a latency that is not measured.
    #[test]
    fn a_latency_that_is_not_measured_has_no_log() {
        assert_eq!(logs("write_lat_log=x"), ["x_slat.1.log", "x_clat.1.log", "x_lat.1.log"]);
        assert_eq!(logs("write_lat_log=x\nioengine=psync"), logs("write_lat_log=x"));
        assert_eq!(logs("write_lat_log=x\ndisable_lat=1"), ["x_slat.1.log", "x_clat.1.log"]);
        assert_eq!(logs("write_lat_log=x\ndisable_clat=1"), ["x_slat.1.log", "x_lat.1.log"]);
        assert_eq!(logs("write_lat_log=x\ndisable_slat=1"), ["x_clat.1.log", "x_lat.1.log"]);
        assert_eq!(logs("write_lat_log=x\ngtod_reduce=1"), Vec::<String>::new());
    }
}
