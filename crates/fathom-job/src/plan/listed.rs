//! Jobs whose files are those of a directory tree (`opendir`): which they are, and which of them hold no block.
//!
//! The tree is listed once, when the plan is made. The guard then admits the files of the plan, as it does named ones: a file that is
//! made later belongs to no job, and one that is gone is an error before anything runs.

use super::notes::{self, Checked, Notes};
use super::target::{PlannedTarget, TargetKind, TargetLookup};
use super::{FILES_ALL_MAX, PlannedJob};
use crate::job::Job;
use crate::options;
use crate::value::Size;

/// The files of the directory of `opendir`, in the order of their names; `None` for a job without it.
pub(super) fn files(job: &Job, lookup: &dyn TargetLookup) -> Checked<Option<Vec<String>>> {
    let Some(directory) = job.get(&options::OPENDIR) else { return Ok(None) };
    let error = |message: String| notes::error(job, &options::OPENDIR, "opendir", message);
    if job.is_given(&options::DIRECTORY) {
        let message = format!("job {}: opendir and directory exclude each other", job.name);
        return Err(error(message).hint("opendir= takes the whole path of its directory"));
    }
    let clones = u64::from(job.get(&options::NUMJOBS)).max(1);
    let listed = lookup.files_below(&directory, (FILES_ALL_MAX / clones) as usize).map_err(|why| {
        error(format!("job {}: the files of opendir={directory} cannot be listed: {why}", job.name))
    })?;
    if listed.is_empty() {
        let message = format!("job {}: there is no regular file below {directory}", job.name);
        return Err(error(message).hint(format!("directory={directory} makes new files there")));
    }
    Ok(Some(listed))
}

/// The targets without the files of a tree that are shorter than a block, where each file is used as long as it is. fio ignores these too.
pub(super) fn without_short(
    planned: &PlannedJob,
    targets: Vec<PlannedTarget>,
    notes: &mut Notes,
) -> Checked<Vec<PlannedTarget>> {
    let job = &planned.job;
    let Some(directory) = job.get(&options::OPENDIR) else { return Ok(targets) };
    let has_size =
        matches!(job.get(&options::SIZE), Some(Size::Bytes(_))) || job.is_given(&options::FILESIZE);
    if has_size {
        return Ok(targets);
    }
    let all = targets.len();
    let block = planned.block_max();
    let is_short = |target: &PlannedTarget| {
        target.facts.kind == TargetKind::File && target.facts.size.is_some_and(|size| size < block)
    };
    let kept: Vec<PlannedTarget> = targets.into_iter().filter(|target| !is_short(target)).collect();
    if kept.len() == all {
        return Ok(kept);
    }
    let left_out = all - kept.len();
    let message = format!(
        "job {}: {left_out} of {all} files below {directory} are shorter than a block of {block}",
        job.name
    );
    if kept.is_empty() {
        return Err(
            notes::error(job, &options::OPENDIR, "target-small", message).hint("smaller blocks, or size=")
        );
    }
    notes.push(notes::note(job, &options::OPENDIR, "opendir-short", format!("{message}; they are left out")));
    Ok(kept)
}
