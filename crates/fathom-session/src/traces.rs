//! The traces of jobs: looked at before the run, and opened for the engine, which opens nothing by path.

use fathom_engine::target::read_trace;
use fathom_job::plan::Plan;
use fathom_job::trace::{ReplayTerms, TraceFacts, scan};
use fathom_text::carried::to_path;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The trace of each job that has one, by plan id.
pub(crate) fn of(plan: &Plan) -> BTreeMap<u32, PathBuf> {
    let path = |job: &fathom_job::plan::PlannedJob| Some((job.id, to_path(&job.replays.as_ref()?.trace)));
    plan.jobs.iter().filter_map(path).collect()
}

/// Opens a trace.
///
/// # Errors
/// It cannot be read, or it is not a regular file: a trace is read twice, so a pipe would have nothing left.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let no_file =
        || io::Error::other("a trace is a regular file, since it is read before the run and again in it");
    // Looked at before it is opened: to open a FIFO may wait without end.
    if !fs::metadata(path)?.is_file() {
        return Err(no_file());
    }
    let file = File::open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(no_file()) }
}

/// Reads a whole trace, in constant memory.
pub(crate) fn facts(mut file: File, terms: &ReplayTerms) -> Result<TraceFacts, String> {
    scan(|into: &mut [u8]| read_trace(&mut file, into), terms).map_err(|defect| defect.to_string())
}
