//! Jobs whose I/Os are operations on names (`filecreate` and the others, docs/adr/0027).

use super::notes::{self, Checked, Notes};
use super::target::{PlannedTarget, TargetFacts, TargetKind};
use super::{PlannedFile, PlannedJob};
use crate::engine::NameWork;
use crate::job::Job;
use crate::options;
use std::collections::HashMap;

/// A name that a job makes or removes is free when the job starts, so that nothing of somebody else is opened or removed.
/// `as_file` checks what is checked of every file that would be made.
pub(super) fn check(
    job: &Job,
    work: NameWork,
    target: PlannedTarget,
    as_file: impl FnOnce(PlannedTarget) -> Checked<PlannedTarget>,
) -> Checked<PlannedTarget> {
    let path = &target.path;
    let target = match target.facts.kind {
        TargetKind::Missing => as_file(target)?,
        TargetKind::Directory if work == NameWork::StatDirectory => target,
        TargetKind::Closed => return as_file(target),
        _ => {
            let message = format!(
                "job {}: {path} exists, and ioengine={} works on names that the run itself makes",
                job.name,
                job.get(&options::IOENGINE)
            );
            let error = notes::error(job, &options::IOENGINE, "name-exists", message);
            return Err(error.hint(
                "another directory= or filename=, or remove what a run left there; unlink=1 removes at the end of a run what \
                 it has made",
            ));
        }
    };
    let facts = TargetFacts { kind: TargetKind::Name, size: None, ..target.facts };
    Ok(PlannedTarget { facts, ..target })
}

/// Files are laid out before the first job begins, so a job would find a name there that it is to make, if another job needs the file.
pub(super) fn find_laid_out(jobs: &[PlannedJob], notes: &mut Notes) {
    if !jobs.iter().any(PlannedJob::is_of_names) {
        return;
    }
    let laid_out = jobs.iter().flat_map(|job| job.files.iter().map(move |file| (job, file)));
    let laid_out: HashMap<&str, &str> = laid_out
        .filter(|(_, file)| file.kind == TargetKind::Missing && file.layout.0 > 0)
        .map(|(job, file)| (file.path.as_str(), job.name.as_str()))
        .collect();
    for job in jobs.iter().filter(|job| job.is_of_names()) {
        let of = |file: &PlannedFile| Some((file.path.clone(), *laid_out.get(file.path.as_str())?));
        let names = job.files.iter().filter(|file| file.kind == TargetKind::Name);
        if let Some((path, other)) = names.filter_map(of).next() {
            let message = format!(
                "job {} makes {path}, and the file is laid out for job {other} before the first job begins",
                job.name
            );
            let error = notes::error(&job.job, &options::IOENGINE, "name-laid-out", message);
            notes.push(error.hint("names of its own for each job, or two runs"));
        }
    }
}

/// Space can be changed in regular files alone.
pub(super) fn has_space(planned: &PlannedJob, files: &[PlannedFile]) -> Checked<()> {
    let changes = planned.engine_def().is_some_and(|engine| engine.changes_space);
    match files.iter().find(|file| changes && !file.kind.is_file()) {
        None => Ok(()),
        Some(file) => {
            let message = format!("ioengine={} works on files, and {} is none", planned.engine, file.path);
            let error = notes::error(&planned.job, &options::FILENAME, "engine-cannot", message);
            Err(error.hint(
                "directory= or filename= of a file; rw=trim with ioengine=psync discards ranges of a device",
            ))
        }
    }
}

/// An I/O is one operation. fio counts an I/O for each further block of a file too, and does nothing in it.
pub(super) fn one_io_each(planned: &PlannedJob, regions: &[PlannedFile]) -> Checked<()> {
    let job = &planned.job;
    if !planned.is_of_names() {
        return Ok(());
    }
    let syncs = job.get(&options::FSYNC) > 0
        || job.get(&options::FDATASYNC) > 0
        || job.get(&options::SYNC_FILE_RANGE).is_some();
    if syncs {
        let message =
            format!("job {}: ioengine={} has no data that a sync could write", job.name, planned.engine);
        return Err(notes::error(job, &options::FSYNC, "engine-cannot", message)
            .hint("leave fsync= and fdatasync= out"));
    }
    let is_one = |file: &PlannedFile| file.size == planned.block_min() && file.size == planned.block_max();
    match regions.iter().find(|file| !is_one(file)) {
        None => Ok(()),
        Some(file) => {
            let message = format!(
                "job {}: with ioengine={} each file is one I/O, and {} has {} in blocks of {}",
                job.name,
                planned.engine,
                file.path,
                file.size,
                planned.block_min()
            );
            let error = notes::error(job, &options::FILESIZE, "name-blocks", message);
            Err(error.hint(format!("bs={}", file.size.0)))
        }
    }
}
