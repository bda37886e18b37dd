//! Reads a run back from its directory, whole or cut short.
//!
//! The report at the end of a run is made from this too, so it is the same as a
//! report that is printed later from the same directory.

use crate::bounded;
use crate::foreign;
use crate::frame::{Event, Frame, Phase, Window};
use crate::outcome::JobOutcome;
use crate::record::{FORMAT, RunRecord};
use crate::series::{SeriesPoint, Thinning};
use crate::spool::SpoolReader;
use crate::totals::JobTotals;
use fathom_job::plan::PlannedJob;
use std::path::{Path, PathBuf};

/// The longest record that is read; that of a plan of ten thousand jobs is a tenth of it.
const RECORD_MAX_BYTES: u64 = 1 << 30;
/// The longest picture that is read; that of a machine with hundreds of drives is 1 MiB.
const TOPOLOGY_MAX_BYTES: u64 = 16 << 20;

/// A run as it was read from its directory.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// The directory of the run.
    pub dir: PathBuf,
    /// `run.json`.
    pub record: RunRecord,
    /// `topology.svg`: the path from the targets to the processors, drawn
    /// before the run; `None` where there was nothing to draw.
    pub topology_svg: Option<String>,
    /// One entry per planned clone, in plan order.
    pub jobs: Vec<JobResult>,
    /// Events, in order.
    pub events: Vec<Event>,
    /// Why the run is incomplete; `None` when it is complete.
    pub incomplete: Option<String>,
    /// End of the last frame, ns since the start.
    pub reaches_ns: u64,
}

/// One clone's result.
#[derive(Clone, Debug)]
pub struct JobResult {
    /// What was planned.
    pub planned: PlannedJob,
    /// Totals of the measured window.
    pub totals: JobTotals,
    /// The windows in order, ramp included; in very long runs, windows are merged.
    pub series: Vec<SeriesPoint>,
    /// How it ended; `None` if no end was recorded.
    pub outcome: Option<JobOutcome>,
    measured_from_ns: Option<u64>,
    measured_to_ns: u64,
    thinning: Thinning,
}

/// Why a directory could not be read as a run.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file of the directory cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// `run.json` is damaged, or is not a record.
    #[error("{path} is not a run record: {source}")]
    Parse {
        /// The file.
        path: PathBuf,
        /// The error of the parser.
        source: serde_json::Error,
    },
    /// The spool belongs to another run.
    #[error("{path} belongs to the run {found}, not to {expected}")]
    OtherRun {
        /// The spool.
        path: PathBuf,
        /// The run that wrote it.
        found: String,
        /// The run whose record is in the directory.
        expected: String,
    },
    /// The file was written by a newer fathom.
    #[error("{path} has format {found}; this fathom reads up to {FORMAT}")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Format of the file.
        found: u32,
    },
}

impl JobResult {
    fn new(planned: &PlannedJob, clones: usize) -> Self {
        JobResult {
            planned: planned.clone(),
            totals: JobTotals::default(),
            series: Vec::new(),
            outcome: None,
            measured_from_ns: None,
            measured_to_ns: 0,
            thinning: Thinning::among(clones),
        }
    }

    /// Length of the measured window, ns: from its start to the end of its time
    /// or, for a job that ends by its own count, to its last completion. For a
    /// run that was cut short, to the end of the spool.
    pub fn runtime_ns(&self) -> u64 {
        match self.outcome.as_ref().and_then(|o| o.measured_ns) {
            Some((from, to)) => to - from,
            None => self.measured_from_ns.map_or(0, |from| self.measured_to_ns.saturating_sub(from)),
        }
    }

    /// Start of the measured window, ns since the start of the run.
    pub fn measured_from_ns(&self) -> Option<u64> {
        self.outcome.as_ref().and_then(|o| o.measured_ns).map(|m| m.0).or(self.measured_from_ns)
    }

    fn add(&mut self, window: &Window) {
        match window.phase {
            Phase::Measure => {
                self.totals.add(window);
                self.measured_from_ns.get_or_insert(window.start_ns);
                self.measured_to_ns = window.end_ns;
            }
            // Not part of the time line, because no I/O was started in it.
            Phase::Drain => return self.totals.add_drained(window),
            Phase::Ramp | Phase::Prepare => {}
        }
        self.thinning.push(&mut self.series, SeriesPoint::of(window));
    }
}

/// Reads the run in `dir`. A spool that ends early, or is missing, is
/// not an error: the result says how far it reaches, and is marked incomplete.
pub fn load(dir: &Path) -> Result<RunResult, LoadError> {
    let record = load_record(dir)?;
    let mut reader = open_spool(dir, &record)?;
    let planned = &record.plan.jobs;
    let mut jobs: Vec<JobResult> = planned.iter().map(|job| JobResult::new(job, planned.len())).collect();
    let mut events = Vec::new();
    let mut reaches_ns = 0;
    for frame in reader.iter_mut().flatten() {
        match frame {
            Frame::Window(w) => {
                reaches_ns = reaches_ns.max(w.end_ns);
                if let Some(job) = jobs.get_mut(w.job as usize) {
                    job.add(&w);
                }
            }
            Frame::Phase { at_ns, .. } => reaches_ns = reaches_ns.max(at_ns),
            Frame::Ended(outcome) => {
                reaches_ns = reaches_ns.max(outcome.at_ns);
                if let Some(job) = jobs.get_mut(outcome.job as usize) {
                    job.outcome = Some(*outcome);
                }
            }
            Frame::Event(event) => events.push(event),
        }
    }
    let damage = reader.as_ref().map_or(Some("nothing was measured before it ended"), SpoolReader::damage);
    let incomplete = match (&record.finish, damage) {
        (None, damage) => Some(format!(
            "the run did not end by itself: {}",
            damage.unwrap_or("it was killed, or still runs")
        )),
        (Some(finish), _) if !finish.complete => Some(finish.how.clone()),
        (Some(_), Some(damage)) => Some(format!("the spool is damaged: {damage}")),
        (Some(_), None) => None,
    };
    let topology_svg = bounded::text(&dir.join(RunRecord::TOPOLOGY), TOPOLOGY_MAX_BYTES).ok();
    Ok(RunResult { dir: dir.to_owned(), record, topology_svg, jobs, events, incomplete, reaches_ns })
}

/// The spool of a run; `None` if the run was killed before it had one.
fn open_spool(dir: &Path, record: &RunRecord) -> Result<Option<SpoolReader>, LoadError> {
    let path = dir.join(crate::spool::FILE);
    let reader = match SpoolReader::open(dir) {
        Ok(reader) => reader,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound && record.finish.is_none() => return Ok(None),
        Err(source) => return Err(LoadError::Read { path, source }),
    };
    match reader.run_id() {
        Some(id) if id != record.id => {
            Err(LoadError::OtherRun { path, found: id.to_owned(), expected: record.id.clone() })
        }
        _ => Ok(Some(reader)),
    }
}

fn load_record(dir: &Path) -> Result<RunRecord, LoadError> {
    let path = dir.join(RunRecord::FILE);
    let text = bounded::text(&path, RECORD_MAX_BYTES)
        .map_err(|source| LoadError::Read { path: path.clone(), source })?;
    let format: FormatOnly =
        serde_json::from_str(&text).map_err(|source| LoadError::Parse { path: path.clone(), source })?;
    if format.format > FORMAT {
        return Err(LoadError::Newer { path, found: format.format });
    }
    let parse = || match foreign::is_harmless(&text) {
        true => serde_json::from_str(&text),
        false => serde_json::from_value(foreign::document(serde_json::from_str(&text)?)),
    };
    parse().map_err(|source| LoadError::Parse { path, source })
}

/// The one field that decides whether the rest of the record can be read.
#[derive(serde::Deserialize)]
struct FormatOnly {
    format: u32,
}
