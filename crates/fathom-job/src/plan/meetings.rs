//! Which jobs use the same bytes of a path at the same time.
//!
//! Ten thousand jobs on one file make fifty million pairs. A reader needs some of them and the
//! number of jobs, so the search ends when it has found some, or has compared a fixed number of
//! pairs for each region. Pairs with a writer are searched first, because they matter most.

use super::{PlannedFile, PlannedJob};
use std::collections::{BTreeMap, BTreeSet};

/// Pairs that are reported for one path.
pub(super) const PAIRS_MAX: usize = 16;
/// Pairs that are compared for each region of a path. More would be needed only where this many
/// jobs overlap and no two of them run at the same time.
const LOOKS_EACH: usize = 64;

/// One clone's region on a path.
#[derive(Clone, Copy)]
pub(super) struct Reach<'a> {
    pub(super) planned: &'a PlannedJob,
    pub(super) file: &'a PlannedFile,
}

/// Two clones, and the range that both use.
pub(super) struct Meeting<'a> {
    pub(super) first: &'a PlannedJob,
    pub(super) second: &'a PlannedJob,
    pub(super) path: &'a str,
    pub(super) from: u64,
    pub(super) to: u64,
}

/// What was found on one path.
#[derive(Default)]
pub(super) struct Found<'a> {
    /// The first meeting of each pair of jobs (a job with itself: of two
    /// clones).
    pub(super) pairs: Vec<Meeting<'a>>,
    /// Pairs that were looked at.
    pub(super) looks: usize,
    /// There may be further pairs.
    pub(super) is_cut: bool,
}

/// The meetings on one path, in the order of the bytes.
pub(super) fn meetings<'a>(mut reaches: Vec<Reach<'a>>) -> Found<'a> {
    reaches.sort_by_key(|reach| (reach.file.offset, reach.planned.id));
    let mut found = Found::default();
    let looks_max = LOOKS_EACH * reaches.len() + PAIRS_MAX * PAIRS_MAX;
    for pass in [Pass::Writers, Pass::Readers] {
        Sweep { pass, looks_max, met: BTreeSet::new(), open: [Open::default(), Open::default()] }
            .run(&reaches, &mut found);
    }
    found.pairs.sort_by_key(|pair| (pair.from, pair.second.id, pair.first.id));
    found
}

/// How many jobs share bytes with another one, whether or not they take turns.
pub(super) fn sharing(reaches: &[Reach<'_>]) -> usize {
    let mut sorted = reaches.to_vec();
    sorted.sort_by_key(|reach| reach.file.offset);
    // The two jobs that reach furthest: one of them is not this one.
    let mut furthest: [Option<(u64, u32)>; 2] = [None; 2];
    let mut jobs = BTreeSet::new();
    for reach in &sorted {
        let (own, end) = (key(reach.planned), end(reach));
        let other = furthest.iter().flatten().find(|(_, job)| *job != own);
        if let Some((_, job)) = other.filter(|(other_end, _)| *other_end > reach.file.offset.0) {
            jobs.extend([own, *job]);
        }
        let mut all: Vec<(u64, u32)> = furthest.into_iter().flatten().chain([(end, own)]).collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        all.dedup_by_key(|(_, job)| *job);
        furthest = [all.first().copied(), all.get(1).copied()];
    }
    jobs.len()
}

/// The kind of pairs that a pass searches for.
#[derive(Clone, Copy, PartialEq)]
enum Pass {
    /// Those of which one writes.
    Writers,
    /// The others.
    Readers,
}

/// One pass over the regions by their start. Of each job only the region that
/// ends last can still meet what begins later.
struct Sweep<'a> {
    pass: Pass,
    looks_max: usize,
    met: BTreeSet<(u32, u32)>,
    /// Readers, and writers.
    open: [Open<'a>; 2],
}

impl<'a> Sweep<'a> {
    fn run(mut self, reaches: &[Reach<'a>], found: &mut Found<'a>) {
        let pairs_max = found.pairs.len() + PAIRS_MAX;
        let looks_max = found.looks + self.looks_max;
        for reach in reaches {
            let writes = reach.planned.writes();
            self.open.iter_mut().for_each(|open| open.close(reach.file.offset.0));
            let others: &[usize] = match (self.pass, writes) {
                (Pass::Writers, true) => &[0, 1],
                (Pass::Writers, false) => &[1],
                (Pass::Readers, true) => &[],
                (Pass::Readers, false) => &[0],
            };
            for (other, (other_end, earlier)) in others.iter().flat_map(|kind| &self.open[*kind].jobs) {
                if found.pairs.len() == pairs_max || found.looks == looks_max {
                    found.is_cut = true;
                    return;
                }
                found.looks += 1;
                let own = key(reach.planned);
                if !take_turns(earlier, reach.planned) && self.met.insert((own.min(*other), own.max(*other)))
                {
                    found.pairs.push(meeting(earlier, reach, *other_end));
                }
            }
            self.open[usize::from(writes)].put(reach);
        }
    }
}

fn meeting<'a>(earlier: &'a PlannedJob, reach: &Reach<'a>, other_end: u64) -> Meeting<'a> {
    let (from, to) = (reach.file.offset.0, end(reach).min(other_end));
    Meeting { first: earlier, second: reach.planned, path: &reach.file.path, from, to }
}

/// The jobs whose regions have not ended yet.
#[derive(Default)]
struct Open<'a> {
    /// By the number of the job: where its furthest region ends, and the clone.
    jobs: BTreeMap<u32, (u64, &'a PlannedJob)>,
    /// The same by their ends.
    ends: BTreeSet<(u64, u32)>,
}

impl<'a> Open<'a> {
    /// Forgets what ends at or before this byte.
    fn close(&mut self, at: u64) {
        while let Some((end, job)) = self.ends.first().copied().filter(|(end, _)| *end <= at) {
            self.ends.remove(&(end, job));
            self.jobs.remove(&job);
        }
    }

    fn put(&mut self, reach: &Reach<'a>) {
        let (job, end) = (key(reach.planned), end(reach));
        match self.jobs.get(&job) {
            Some((furthest, _)) if *furthest >= end => return,
            Some((furthest, _)) => drop(self.ends.remove(&(*furthest, job))),
            None => {}
        }
        self.jobs.insert(job, (end, reach.planned));
        self.ends.insert((end, job));
    }
}

fn end(reach: &Reach<'_>) -> u64 {
    reach.file.offset.0.saturating_add(reach.file.size.0)
}

/// The number of the job's first clone: clones are numbered in a row.
pub(super) fn key(planned: &PlannedJob) -> u32 {
    planned.id - planned.subjob
}

/// `wait_for` keeps two jobs of one stage apart.
fn take_turns(a: &PlannedJob, b: &PlannedJob) -> bool {
    a.wait_for.as_ref() == Some(&b.name) || b.wait_for.as_ref() == Some(&a.name)
}
