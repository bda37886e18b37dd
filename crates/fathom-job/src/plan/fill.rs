//! Jobs that write until no space is left (`fill_device`).
//!
//! The rules are those of fio 3.33, checked on ext4: without `size` files grow until a write ends with ENOSPC or
//! EDQUOT, which ends the job without an error; nothing is reserved before; `size`, `io_size`, `number_ios` and
//! `runtime` may end it earlier. A device has an end of its own, so the option changes nothing there. Where fio
//! does nothing and reports success (random writes without `size`), and where it fills the file system before the
//! run (reads, `overwrite`), this is an error.

use super::notes::{self, Checked, Notes};
use super::target::{PlannedTarget, TargetKind, TargetLookup};
use super::{Expected, PlannedFile, PlannedJob};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::options;
use crate::units::Bytes;
use std::collections::BTreeMap;

/// Where a region ends that has no end: 1 EiB, which no file system has today, and of which sixteen can still be
/// added up in 64 bits.
const UNTIL_FULL: u64 = 1 << 60;
/// Code of the finding that a job fills a file system.
const FILLS: &str = "fills-file-system";

/// Bytes from `offset` to where a region without an end ends.
pub(super) fn room(offset: u64) -> u64 {
    UNTIL_FULL.saturating_sub(offset)
}

/// Does a region of this size, in a target of this kind, end where no space is left? Half of the number is enough,
/// because offset and block size make the region shorter.
pub fn is_until_full(kind: TargetKind, size: Bytes) -> bool {
    kind.is_file() && size.0 >= UNTIL_FULL / 2
}

/// Does the job end when no space is left for the data of its files?
pub(super) fn fills_files(planned: &PlannedJob) -> bool {
    planned.job.get(&options::FILL_DEVICE) && planned.uses(Direction::Write)
}

/// What cannot be filled.
pub(super) fn check(planned: &PlannedJob, targets: &[PlannedTarget]) -> Checked<()> {
    let job = &planned.job;
    if !job.get(&options::FILL_DEVICE) || !targets.iter().any(|target| target.facts.kind.is_file()) {
        return Ok(());
    }
    let is_sized = job.is_given(&options::FILESIZE) || job.get(&options::SIZE).is_some();
    let only_writes = Direction::ALL.into_iter().all(|d| planned.uses(d) == (d == Direction::Write));
    let in_order = "rw=write, or size= for the range that is written at random";
    let (why, hint) = match () {
        () if !only_writes => (
            "only a job that does nothing but write can fill the file system of its files",
            "rw=write fills it; another run can then read the file",
        ),
        () if job.get(&options::OVERWRITE) => (
            "overwrite=1 lays files out before the run, and fill_device=1 writes them in the run",
            "overwrite=0",
        ),
        () if planned.maps_files() => {
            ("a mapped file cannot grow while it is written", "ioengine=psync or io_uring")
        }
        () if planned.rw.random && !is_sized => {
            ("random writes need a range, and a file has no end to fill", in_order)
        }
        () => return Ok(()),
    };
    let message = format!("job {}: fill_device=1: {why}", planned.name);
    Err(notes::error(job, &options::FILL_DEVICE, "fill-device", message).hint(hint))
}

/// Says which file systems will be filled, and forecasts how much that is: what the files have already, and what is
/// free there, shared by the clones that fill it.
pub(super) fn find(jobs: &mut [PlannedJob], lookup: &dyn TargetLookup, notes: &mut Notes) {
    let mut by_file_system: BTreeMap<Option<u64>, (Bytes, Vec<usize>)> = BTreeMap::new();
    for (index, job) in jobs.iter().enumerate() {
        if let Some(file) = job.files.iter().find(|file| file.is_until_full()) {
            let facts = lookup.look_up(&file.path);
            let free = facts.free.unwrap_or_default();
            by_file_system.entry(facts.file_system).or_insert((free, Vec::new())).1.push(index);
            notes.push(fills(job, &file.path, facts.free));
        }
    }
    for (free, fillers) in by_file_system.into_values() {
        for &index in &fillers {
            let job = &mut jobs[index];
            let is_open = job.end.bytes.is_none() && job.end.ios.is_none() && job.end.time.is_none();
            if is_open && job.expected == Expected::default() {
                let old =
                    |file: &PlannedFile| file.length.unwrap_or_default().0.saturating_sub(file.offset.0);
                let old = job.files.iter().map(old).fold(0, u64::saturating_add);
                job.expected.bytes = Some(Bytes((free.0 / fillers.len() as u64).saturating_add(old)));
            }
        }
    }
}

fn fills(job: &PlannedJob, path: &str, free: Option<Bytes>) -> Diagnostic {
    let free = free.map_or("an unknown amount".to_owned(), |free| free.to_string());
    let message = format!(
        "job {} may write until no space is left on the file system of {path}, where {free} is free now",
        job.name
    );
    notes::warning(&job.job, &options::FILL_DEVICE, FILLS, message)
        .hint("unlink=1 removes the file when the job has ended; size= writes a given amount instead")
}
