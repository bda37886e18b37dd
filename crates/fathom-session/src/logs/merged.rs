//! Recordings of blktrace that a job merges, as one recording (`merge_blktrace_file`).

use super::file::{Maker, cannot};
use crate::exit::Failure;
use crate::traces;
use fathom_job::options as opt;
use fathom_job::plan::{Plan, ReplayPlan};
use fathom_job::trace::write_merged;
use fathom_text::carried::to_path;
use std::collections::BTreeMap;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// The files that the jobs ask for, each with what is merged into it. `dir` is the directory that they are in, if it is not the
/// current one. Clones have one together.
pub(super) fn of<'a>(plan: &'a Plan, dir: Option<&Path>) -> BTreeMap<PathBuf, Vec<&'a ReplayPlan>> {
    let mut files: BTreeMap<PathBuf, Vec<&ReplayPlan>> = BTreeMap::new();
    for job in &plan.jobs {
        let Some(replays) = job.replays.as_ref().filter(|replays| !replays.terms.merges.is_empty()) else {
            continue;
        };
        let name = to_path(&job.job.get(&opt::MERGE_BLKTRACE_FILE).unwrap_or_default());
        let merges = files.entry(dir.map_or_else(|| name.clone(), |dir| dir.join(&name))).or_default();
        let is_same = |other: &&ReplayPlan| {
            other.traces().eq(replays.traces()) && other.terms.merges == replays.terms.merges
        };
        if !merges.iter().any(is_same) {
            merges.push(replays);
        }
    }
    files
}

/// Writes them.
pub(super) fn write(plan: &Plan, dir: Option<&Path>, maker: &Maker<'_>) -> Result<(), Failure> {
    for (path, merges) in of(plan, dir) {
        let [replays] = merges[..] else {
            return Err(cannot(&path, io::Error::other("several jobs merge other recordings into it")));
        };
        let inputs = replays.traces().map(|trace| traces::open(&to_path(trace))).collect::<io::Result<_>>();
        let inputs = inputs.map_err(|e| cannot(&path, e))?;
        let (path, file) = maker.open(&path)?.emptied()?;
        write_merged(inputs, &replays.terms, &mut BufWriter::new(file)).map_err(|e| cannot(&path, e))?;
    }
    Ok(())
}
