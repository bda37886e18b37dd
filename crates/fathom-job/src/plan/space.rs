//! Whether what the jobs write fits into the free space, found before the run and not after an hour
//! of writing (contract I-24).
//!
//! Only what is certain counts: space that layout reserves or fills, and writes that cover their
//! whole region and that no time or number of I/Os ends earlier. Of an existing file only growth
//! counts, and of a sparse one only as much as its holes must take. Files on one file system add
//! up: the jobs of a plan remove their files at its end, if at all.

use super::notes::{self, Notes};
use super::target::{TargetFacts, TargetKind, TargetLookup};
use super::visits::covers_once;
use super::{PlannedFile, PlannedJob};
use crate::direction::Direction;
use crate::options;
use crate::units::Bytes;
use std::collections::BTreeMap;

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
pub(super) fn find(jobs: &[PlannedJob], lookup: &dyn TargetLookup, notes: &mut Notes) {
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
    notes::warning(&largest.by.job, &options::SIZE, NO_SPACE, message)
        .hint("a smaller size, or a directory on a file system with more room")
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
