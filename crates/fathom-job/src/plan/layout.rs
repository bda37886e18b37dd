//! What layout and the jobs write into file systems: its amount, jobs that write until no space is left, and lack of space.
//!
//! Files are made long enough clone after clone, in the order of the plan and before any of them
//! starts; a path that an earlier clone has made long enough is not changed. A file that is only
//! written gets its space reserved, which costs no writes; for the clones after it, the file has
//! that length.

use super::blocks::covers_once;
use super::notes::{self, Checked, Notes};
use super::target::{PlannedTarget, TargetFacts, TargetKind, TargetLookup};
use super::{Expected, PlannedFile, PlannedJob};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::options;
use crate::units::Bytes;
use std::collections::{BTreeMap, HashMap};

/// The files so far.
#[derive(Debug, Default)]
pub(super) struct PlannedLayout {
    paths: HashMap<String, Reach>,
}

/// One path, after the clones so far.
#[derive(Clone, Copy, Debug)]
struct Reach {
    length: u64,
    /// The most that any of them asked for.
    asked: u64,
}

impl PlannedLayout {
    /// Notes in each file of this clone what layout will write to it.
    pub(super) fn assign(&mut self, planned: &PlannedJob, files: &mut [PlannedFile]) {
        for file in files {
            if matches!(file.kind, TargetKind::File | TargetKind::Missing) {
                file.layout = Bytes(self.extend(planned, file));
            }
        }
    }

    /// The length that the clones so far have given to this path; `None` where
    /// none of them has.
    pub(super) fn length(&self, path: &str) -> Option<u64> {
        self.paths.get(path).map(|reach| reach.length).filter(|length| *length > 0)
    }

    fn extend(&mut self, planned: &PlannedJob, file: &PlannedFile) -> u64 {
        let now = Reach { length: file.length.map_or(0, |length| length.0), asked: 0 };
        let reach = self.paths.entry(file.path.clone()).or_insert(now);
        if reach.asked >= file.needs.0 {
            return 0;
        }
        reach.asked = file.needs.0;
        let missing = file.needs.0.saturating_sub(reach.length);
        let fills = planned.uses(Direction::Read) || planned.job.get(&options::OVERWRITE);
        if fills || reserves(planned) {
            reach.length = reach.length.max(file.needs.0);
        }
        if fills { missing } else { 0 }
    }
}

/// Does `fallocate` make a file longer?
fn reserves(planned: &PlannedJob) -> bool {
    matches!(planned.job.get(&options::FALLOCATE), "native" | "posix" | "truncate")
}

// Jobs that write until no space is left (`fill_device`).
//
// The rules are those of fio 3.33, checked on ext4: without `size` files grow until a write ends with ENOSPC or
// EDQUOT, which ends the job without an error; nothing is reserved before; `size`, `io_size`, `number_ios` and
// `runtime` may end it earlier. A device has an end of its own, so the option changes nothing there. Where fio
// does nothing and reports success (random writes without `size`), and where it fills the file system before the
// run (reads, `overwrite`), this is an error.

/// Where a region ends that has no end: 1 EiB, which no file system has today, and of which sixteen can still be
/// added up in 64 bits.
const UNTIL_FULL: u64 = 1 << 60;
/// Code of the finding that a job fills a file system.
const FILLS: &str = "fills-file-system";

/// Bytes from `offset` to where a region without an end ends.
pub(super) fn room_of_fill(offset: u64) -> u64 {
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

/// A file that is made when it is opened is empty: nothing can be read from it, and a mapping cannot make it longer.
pub(super) fn check_create_on_open(planned: &PlannedJob, targets: &[PlannedTarget]) -> Checked<()> {
    let job = &planned.job;
    let is_made = targets.iter().any(|target| target.facts.kind == TargetKind::Missing);
    let needs_data = planned.uses(Direction::Read) || planned.maps_files();
    if !job.get(&options::CREATE_ON_OPEN) || !is_made || !needs_data {
        return Ok(());
    }
    let message = format!(
        "job {}: create_on_open=1 lays nothing out, so the new files are empty and hold nothing to read or map",
        planned.name
    );
    Err(notes::error(job, &options::CREATE_ON_OPEN, "create-on-open", message)
        .hint("remove it, or use it in a job that only writes: rw=write"))
}

/// What cannot be filled.
pub(super) fn check_fill(planned: &PlannedJob, targets: &[PlannedTarget]) -> Checked<()> {
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
pub(super) fn find_fills(jobs: &mut [PlannedJob], lookup: &dyn TargetLookup, notes: &mut Notes) {
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
            if is_open && !job.has_ramp() && job.expected == Expected::default() {
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

// Whether what the jobs write fits into the free space, found before the run and not after an hour
// of writing.
//
// Only what is certain counts: space that layout reserves or fills, and writes that cover their
// whole region and that no time or number of I/Os ends earlier. Of an existing file only growth
// counts, and of a sparse one only as much as its holes must take. Files on one file system add
// up: the jobs of a plan remove their files at its end, if at all.

/// Code of the finding. It is a warning of the plan, because the caller decides whether such a plan
/// may run: fio would run it until the disk is full.
pub const NO_SPACE: &str = "no-space";

/// A file, by its inode; one that does not exist yet, by its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name<'a> {
    Inode(u64),
    Path(&'a str),
}

/// The ranges of one file that certainly have space at the end.
struct Demand<'a> {
    facts: TargetFacts,
    /// The job that asks for most of it, and the path by which it does.
    by: &'a PlannedJob,
    path: &'a str,
    most: u64,
    ranges: Vec<(u64, u64)>,
}

/// Adds a finding for each file system that has too little free space.
pub(super) fn find_lack_of_space(jobs: &[PlannedJob], lookup: &dyn TargetLookup, notes: &mut Notes) {
    for files in demands(jobs, lookup).into_values() {
        let growth: Vec<u64> = files.values().map(Demand::growth).collect();
        let total = growth.iter().copied().fold(0, u64::saturating_add);
        let free = files.values().filter_map(|demand| demand.facts.free).min();
        let largest = growth.iter().zip(files.values()).max_by_key(|(growth, _)| **growth);
        if let (Some(free), Some((_, largest))) = (free, largest)
            && total > free.0
        {
            notes.push(no_space(largest, files.len(), Bytes(total), free));
        }
    }
}

type ByFile<'a> = BTreeMap<Name<'a>, Demand<'a>>;

fn demands<'a>(jobs: &'a [PlannedJob], lookup: &dyn TargetLookup) -> BTreeMap<u64, ByFile<'a>> {
    let mut all: BTreeMap<u64, ByFile<'a>> = BTreeMap::new();
    let of_job = |job| {
        let covers = covers(job);
        job.files.iter().map(move |file| (job, covers, file))
    };
    for (job, covers, file) in jobs.iter().flat_map(of_job) {
        if !matches!(file.kind, TargetKind::File | TargetKind::Missing) {
            continue;
        }
        if job.end.when_full {
            // It may end before its last byte, and that is not an error.
            continue;
        }
        let facts = lookup.look_up(&file.path);
        let (Some(file_system), Some((from, to))) = (facts.file_system, certain(job, covers, file)) else {
            continue;
        };
        let name = facts.inode.map_or(Name::Path(&file.path), Name::Inode);
        let demand = all.entry(file_system).or_default().entry(name).or_insert_with(|| Demand {
            facts,
            by: job,
            path: &file.path,
            most: 0,
            ranges: Vec::new(),
        });
        if to - from > demand.most {
            (demand.by, demand.path, demand.most) = (job, &file.path, to - from);
        }
        demand.ranges.push((from, to));
    }
    all
}

/// The range of a file that is certain to have space at the end.
fn certain(job: &PlannedJob, covers: bool, file: &PlannedFile) -> Option<(u64, u64)> {
    let length = file.length.map_or(0, |length| length.0);
    let reserves = matches!(job.job.get(&options::FALLOCATE), "native" | "posix" | "keep");
    let fills = job.uses(Direction::Read) || job.job.get(&options::OVERWRITE);
    match () {
        () if file.needs.0 > length && reserves => Some((0, file.needs.0)),
        () if file.needs.0 > length && fills => Some((length, file.needs.0)),
        () if covers => Some((file.offset.0, file.offset.0.saturating_add(file.size.0))),
        () => None,
    }
}

/// Is every byte of the regions certain to be written?
fn covers(job: &PlannedJob) -> bool {
    let all = job.files.iter().map(|file| file.size.0).fold(0, u64::saturating_add);
    let only_writes = job.uses(Direction::Write) && !job.uses(Direction::Read) && !job.uses(Direction::Trim);
    let once = !job.rw.random || covers_once(job);
    let end = &job.end;
    only_writes && once && end.time.is_none() && end.ios.is_none() && end.bytes.is_some_and(|b| b.0 >= all)
}

impl Demand<'_> {
    /// Bytes that the file system must give, at least.
    fn growth(&self) -> u64 {
        let length = self.facts.size.map_or(0, |size| size.0);
        let allocated = self.facts.allocated.map_or(length, |allocated| allocated.0);
        let (all, beyond) = covered(&self.ranges, length);
        // Space that the file has beyond its end may be used first.
        let reserved = allocated.saturating_sub(length);
        all.saturating_sub(allocated).max(beyond.saturating_sub(reserved))
    }
}

/// Bytes in any of the ranges, and those of them at or beyond `length`.
fn covered(ranges: &[(u64, u64)], length: u64) -> (u64, u64) {
    let mut ranges = ranges.to_vec();
    ranges.sort_unstable();
    let (mut all, mut beyond, mut reached) = (0, 0, 0);
    for (from, to) in ranges {
        let from = from.max(reached);
        all += to.saturating_sub(from);
        beyond += to.saturating_sub(from.max(length));
        reached = reached.max(to);
    }
    (all, beyond)
}

fn no_space(largest: &Demand<'_>, files: usize, total: Bytes, free: Bytes) -> crate::diagnostic::Diagnostic {
    let what = match files {
        1 => largest.path.to_owned(),
        _ => format!("{} and {} more on its file system", largest.path, files - 1),
    };
    let message = format!("writing {what} takes {total} of new space, but only {free} are free there");
    let Some(trace) = &largest.by.replays else {
        return notes::warning(&largest.by.job, &options::SIZE, NO_SPACE, message)
            .hint("a smaller size, or a directory on a file system with more room");
    };
    // As many times as the free space is in what is needed, and some for the lengths, which are not divided.
    let by = (total.0 / free.0.max(1)).saturating_add(2).saturating_mul(trace.terms.scale);
    notes::warning(&largest.by.job, &options::READ_IOLOG, NO_SPACE, message)
        .hint(format!("replay_scale={by} divides the offsets of the trace"))
        .hint("replay_redirect= issues its I/Os on a larger file or device")
}

#[cfg(test)]
mod tests {
    use super::covered;

    #[test]
    fn ranges_that_overlap_count_once() {
        assert_eq!(covered(&[(5, 10), (0, 7), (6, 8), (20, 30)], 9), (20, 11));
        assert_eq!(covered(&[], 9), (0, 0));
    }
}
