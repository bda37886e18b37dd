//! Reads a run back from its directory, whole or cut short.
//!
//! The report at the end of a run is made from this too, so it is the same as a
//! report that is printed later from the same directory.

use crate::add_up::Sums;
use crate::directory::SavedDirectory;
use crate::foreign;
use crate::frame::Event;
use crate::job_result::JobResult;
use crate::obstacle::{ReadObstacle, UnreadFile};
use crate::plan::JobRecord;
use crate::record::{FORMAT, RunRecord};
use crate::run_end::Incomplete;
use crate::sample::RunSamples;
use crate::seal::{NO_SEAL, RECORD_MAX_BYTES, Seal};
use crate::spool::{SpoolExtent, SpoolReader};
use fathom_text::words::beginning;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

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
    /// before the run; `None` where there was nothing to draw, and where it is not as it was sealed.
    pub topology_svg: Option<String>,
    /// One entry per planned clone, in plan order.
    pub jobs: Vec<JobResult>,
    /// Events, in order.
    pub events: Vec<Event>,
    /// What the machine did beside the run.
    pub samples: RunSamples,
    /// Why the run is incomplete; `None` when it is complete.
    pub incomplete: Option<Incomplete>,
    /// What of the saved run is missing, cut or not as it was saved; then it is incomplete too.
    pub damage: Option<String>,
    /// End of the last frame, ns since the start.
    pub reaches_ns: u64,
    /// Names in it are stand-ins, made for a report that goes to somebody else: the short id of the configuration of the
    /// run with its names. `None` of a saved run.
    pub redacted_configuration: Option<String>,
    /// The title that the reader of a report is to see, instead of the device and the host.
    pub title: Option<String>,
}

/// Why a directory could not be read as a run, or as a procedure.
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
    /// The record is damaged, is not one, or contradicts itself.
    #[error("{path} is not {}: {what}", record_of(.path))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
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
    #[error("{path} has format {found}; this fathom reads up to {known}")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Format of the file.
        found: u32,
        /// The newest format that this fathom reads.
        known: u32,
    },
}

/// What a file of this name has to be.
fn record_of(path: &Path) -> &'static str {
    if path.ends_with(RunRecord::FILE) { "a run record" } else { "the record of a procedure" }
}

impl From<UnreadFile> for LoadError {
    fn from(UnreadFile { path, source }: UnreadFile) -> Self {
        LoadError::Read { path, source }
    }
}

impl LoadError {
    /// What kept the record from being read, so that nothing is known of it.
    pub fn obstacle(&self) -> Option<ReadObstacle> {
        match self {
            LoadError::Read { source, .. } => ReadObstacle::of(source),
            _ => None,
        }
    }

    /// Is there no run at all in the directory?
    pub fn is_no_run(&self) -> bool {
        let no_record = |source: &std::io::Error| {
            matches!(source.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
        };
        matches!(self, LoadError::Read { path, source } if no_record(source)
            && path.file_name() == Some(RunRecord::FILE.as_ref())
            && !path.with_file_name(crate::spool::FILE).exists())
    }
}

/// Reads the run in `dir`. A spool that ends early, or is missing, is
/// not an error: the result says how far it reaches, and is marked incomplete.
///
/// # Errors
/// The directory holds no run, or `run.json` cannot be read.
pub fn load(dir: &Path) -> Result<RunResult, LoadError> {
    let held = SavedDirectory::open(dir);
    // Where there is no directory, there is no record.
    let held = held.map_err(|source| LoadError::Read { path: dir.join(RunRecord::FILE), source })?;
    load_with(&held, |record| record.take_shared(&held))
}

/// Reads the run in `dir`, whose record gets what it shares with others by `share`, which says
/// what of that is damaged.
pub(crate) fn load_with(
    dir: &SavedDirectory,
    share: impl FnOnce(&mut RunRecord) -> Result<Option<String>, LoadError>,
) -> Result<RunResult, LoadError> {
    let (mut record, text) = load_record(dir)?;
    let unshared = share(&mut record)?;
    let reader = open_spool(dir, &record)?;
    let (mut result, spool) = collect(dir, record, reader);
    let record = &result.record;
    result.topology_svg = record.seal.as_ref().and_then(|seal| sealed_picture(dir, seal));
    let sealed =
        record.seal.as_ref().map(|seal| seal.damage(dir, &text, spool.extent)).transpose()?.flatten();
    let is_unsealed = record.seal.is_none() && record.finish.as_ref().is_some_and(|finish| finish.complete);
    let unsealed = || is_unsealed.then(|| NO_SEAL.to_owned());
    let spool_damage = spool.told_damage().filter(|_| record.finish.is_some());
    result.damage = spool_damage.or(sealed).or_else(unsealed).or(unshared);
    result.incomplete = incomplete(&result, &spool);
    Ok(result)
}

/// Reads a run whose workers have ended, with a record that is not saved yet. What is in its directory is this process's own.
/// `held` leads to the directory, even if that was moved; `dir` is the path by which it is known.
///
/// # Errors
/// The spool cannot be read.
pub fn load_unsaved(held: &Path, dir: &Path, record: &RunRecord) -> Result<RunResult, LoadError> {
    let held = SavedDirectory::open_as(held, dir);
    let held = held.map_err(|source| LoadError::Read { path: dir.join(crate::spool::FILE), source })?;
    let reader = open_spool(&held, record)?;
    let (mut result, spool) = collect(&held, record.clone(), reader);
    result.topology_svg = picture(&held);
    result.damage = spool.told_damage();
    result.incomplete = incomplete(&result, &spool);
    Ok(result)
}

/// The picture, if it is as it was when the run was sealed. Another one was put there by somebody else, and a report would
/// embed it.
fn sealed_picture(dir: &SavedDirectory, seal: &Seal) -> Option<String> {
    picture(dir).filter(|picture| seal.fits(RunRecord::TOPOLOGY, picture.as_bytes()))
}

/// What has the name of the picture, if it is one.
fn picture(dir: &SavedDirectory) -> Option<String> {
    let text = dir.text(RunRecord::TOPOLOGY, TOPOLOGY_MAX_BYTES).ok()?;
    (text.starts_with("<svg") && text.trim_end().ends_with("</svg>")).then_some(text)
}

/// How far a spool was read.
struct ReadSpool {
    extent: SpoolExtent,
    /// Why the reader stopped before the end.
    damage: Option<String>,
    is_missing: bool,
}

impl ReadSpool {
    /// The damage in a sentence that names the spool.
    fn told_damage(&self) -> Option<String> {
        self.damage.as_ref().map(|what| format!("the spool is damaged: {what}"))
    }
}

/// Adds the frames up.
fn collect(
    dir: &SavedDirectory,
    record: RunRecord,
    mut reader: Option<SpoolReader>,
) -> (RunResult, ReadSpool) {
    let planned = &record.plan.jobs;
    let nothing = planned.iter().map(|job| JobResult::new(job, planned.len())).collect();
    let Sums { mut jobs, events, samples, reaches_ns } = Sums::of(nothing, reader.as_mut());
    jobs.sort_by_key(|job| !job.is_reported());
    let spool = ReadSpool {
        extent: reader.as_ref().map(SpoolReader::extent).unwrap_or_default(),
        damage: reader.as_ref().and_then(SpoolReader::damage).map(str::to_owned),
        is_missing: reader.is_none(),
    };
    let (topology_svg, incomplete, damage) = (None, None, None);
    let dir = dir.path().to_owned();
    (
        RunResult {
            dir,
            record,
            topology_svg,
            jobs,
            events,
            samples,
            incomplete,
            damage,
            reaches_ns,
            redacted_configuration: None,
            title: None,
        },
        spool,
    )
}

/// Why a run is incomplete.
fn incomplete(run: &RunResult, spool: &ReadSpool) -> Option<Incomplete> {
    let Some(finish) = &run.record.finish else {
        return Some(match spool.is_missing {
            true => Incomplete::NothingSaved,
            false => Incomplete::NotEnded { damage: spool.damage.clone() },
        });
    };
    let damaged = run.damage.clone().map(|what| Incomplete::Damaged { what });
    let ended = || Incomplete::Ended { by: finish.ended, message: finish.message.clone() };
    let endless = || run.jobs.iter().find(|job| job.outcome.is_none());
    let no_end = || endless().map(|job| Incomplete::NoEndOfJob { job: job.planned.name.clone() });
    damaged.or_else(|| (!finish.complete).then(ended)).or_else(no_end)
}

/// The spool of a run; `None` if the run was killed before it had one.
fn open_spool(dir: &SavedDirectory, record: &RunRecord) -> Result<Option<SpoolReader>, LoadError> {
    let path = dir.at(crate::spool::FILE);
    let reader = match SpoolReader::open_in(dir) {
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

/// The record, and its text.
fn load_record(dir: &SavedDirectory) -> Result<(RunRecord, String), LoadError> {
    let path = dir.at(RunRecord::FILE);
    // Before a file that may have grown to any length is read.
    let is_ended = dir.ends_with(RunRecord::FILE, &[b"}\n", b"}"]);
    if !is_ended.map_err(|source| LoadError::Read { path: path.clone(), source })? {
        return Err(LoadError::Invalid { path, what: "it is cut, or has more than a record".to_owned() });
    }
    let text = dir
        .text(RunRecord::FILE, RECORD_MAX_BYTES)
        .map_err(|source| LoadError::Read { path: path.clone(), source })?;
    let record: RunRecord = match foreign::is_harmless(&text) {
        true => parsed(&path, &text, FORMAT)?,
        false => parsed(&path, &foreign::document(parsed(&path, &text, FORMAT)?).to_string(), FORMAT)?,
    };
    let is_wrong = |(place, job): &(usize, &JobRecord)| job.id as usize != *place || job.subjob > job.id;
    match record.plan.jobs.iter().enumerate().find(is_wrong) {
        Some((place, job)) => {
            let what = format!("its job {place} has the number {}.{}", job.id, job.subjob);
            Err(LoadError::Invalid { path, what })
        }
        None => Ok((record, text)),
    }
}

/// The record in a text, if its format is known.
pub(crate) fn parsed<T: DeserializeOwned>(path: &Path, text: &str, known: u32) -> Result<T, LoadError> {
    let wrong = |e: serde_json::Error| LoadError::Invalid {
        path: path.to_owned(),
        what: beginning(&e, QUOTED_MAX_CHARS),
    };
    let FormatOnly { format } = serde_json::from_str(text).map_err(wrong)?;
    if format > known {
        return Err(LoadError::Newer { path: path.to_owned(), found: format, known });
    }
    serde_json::from_str(text).map_err(wrong)
}

/// The most characters of an error of the parser. It quotes what it found, which can have megabytes.
const QUOTED_MAX_CHARS: usize = 300;

/// The one field that decides whether the rest of the record can be read.
#[derive(serde::Deserialize)]
struct FormatOnly {
    format: u32,
}
