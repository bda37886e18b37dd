//! The traces of jobs: looked at before the run, and opened for the engine, which opens nothing by path.

use fathom_device::Root;
use fathom_engine::target::{TraceBytes, trace_facts};
use fathom_job::plan::Plan;
use fathom_job::trace::{ReplayTerms, TraceFacts, TraceFault};
use fathom_text::carried::to_path;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The trace of each job that has one, or those that it merges, by plan id.
pub(crate) fn of(plan: &Plan) -> BTreeMap<u32, Vec<PathBuf>> {
    let paths = |job: &fathom_job::plan::PlannedJob| {
        Some((job.id, job.replays.as_ref()?.traces().map(|trace| to_path(trace)).collect()))
    };
    plan.jobs.iter().filter_map(paths).collect()
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

/// Reads a whole trace, in constant memory. Devices that it names by their numbers get the names that they have here.
pub(crate) fn facts(files: Vec<File>, terms: &ReplayTerms, root: &Root) -> Result<TraceFacts, TraceFault> {
    let inputs = files.into_iter().map(|file| Box::new(file) as Box<dyn TraceBytes>).collect();
    let mut facts = trace_facts(inputs, terms)?;
    for file in facts.files.iter_mut().filter(|_| !terms.is_redirected) {
        if let Some(numbers) = file.name.strip_prefix("/dev/block/") {
            let event = root.read_text(format!("/sys/dev/block/{numbers}/uevent")).ok();
            let named =
                event.as_ref().and_then(|text| text.lines().find_map(|line| line.strip_prefix("DEVNAME=")));
            let name = named.ok_or_else(|| TraceFault {
                message: format!("{}: there is no device {numbers} here", file.at),
                hint: Some("replay_redirect= issues all I/Os of the trace on one device or file"),
            })?;
            file.name = format!("/dev/{name}");
        }
    }
    Ok(facts)
}
