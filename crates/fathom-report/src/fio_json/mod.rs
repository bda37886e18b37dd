//! fio's JSON, as version 3.33 writes it: same keys, same nesting, same order,
//! same units.
//!
//! These are the differences. Values that fio could only give as NaN are 0. Percentiles come from a
//! finer histogram and never exceed the maximum. The spread of bandwidth and IOPS comes from whole
//! one-second windows, and for a group from the windows of all clones together; fio adds up each
//! clone's slowest and fastest. Jobs with a rate have a key that fio does not have, `response_ns`:
//! latency from the intended start. `time` is UTC. `eta` is 0: the run has ended. What fathom adds
//! about the run is under `fathom`, at the end.

mod direction;
mod disk;
mod job;
mod options;
mod own;
mod steady;
mod text;

pub use text::to_text;

use crate::idleness;
use fathom_figures::disk::shown;
use fathom_figures::{Groups, Row, as_fio, rows_as_fio};
use fathom_results::RunResult;
use fathom_text::calendar::Moment;
use serde_json::{Map, Value};

/// The version whose format the output has. Readers look for `fio-` and the two numbers; the rest
/// of the string says that fathom wrote it.
pub fn version(run: &RunResult) -> String {
    format!("fio-3.33-fathom-{}", run.record.fathom)
}

/// The whole document. `plus` adds the histograms (`json+`).
pub fn fio_json(run: &RunResult, plus: bool) -> Value {
    let as_fio = as_fio(run);
    let run = as_fio.as_ref().unwrap_or(run);
    let rows = rows_as_fio(run);
    let ended_unix_ns = run.record.started_unix_ns + elapsed_ns(run);
    let mut root = Map::new();
    root.insert("fio version".into(), version(run).into());
    root.insert("timestamp".into(), (ended_unix_ns / 1_000_000_000).into());
    root.insert("timestamp_ms".into(), (ended_unix_ns / 1_000_000).into());
    root.insert("time".into(), Moment::of_unix_ns(ended_unix_ns).ctime().into());
    let globals = options::global(run);
    if !globals.is_empty() {
        root.insert("global options".into(), globals.into());
    }
    let groups = Groups::of(&rows);
    let jobs = rows.iter().map(|row| job::object(run, &groups, row, plus)).collect();
    root.insert("jobs".into(), Value::Array(jobs));
    let disks = shown(run, &rows);
    if !disks.is_empty() {
        root.insert("disk_util".into(), disks.iter().map(disk::object).collect());
    }
    if let Some(idleness) = idleness::object(run) {
        root.insert("cpu_idleness".into(), idleness);
    }
    if let Some(ours) = own::object(run) {
        root.insert("fathom".into(), ours);
    }
    Value::Object(root)
}

/// Did any of it begin? A run that was interrupted has jobs that did not.
pub(crate) fn has_run(row: &Row<'_>) -> bool {
    row.worker_ns() > 0 || !row.flows_busy().is_empty()
}

/// Length of the run, or as far as its record reaches, ns.
pub fn elapsed_ns(run: &RunResult) -> u64 {
    run.record.finish.as_ref().map_or(run.reaches_ns, |f| f.elapsed_ns)
}
