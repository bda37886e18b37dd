//! Jobs that use the same bytes, device or file system at the same time.
//!
//! A sequential job with `numjobs=4` and no `offset_increment` reads the same LBAs four times
//! (docs/guide-index.md: V-43): the device's cache answers three of the reads. Two writers on one range leave
//! contents that depend on which write comes last.

use super::duration::{JobTime, spans};
use super::notes::{self, Notes};
use super::{PlannedFile, PlannedJob, TargetKind, TargetLookup};
use crate::diagnostic::{Diagnostic, Severity};
use crate::job::Job;
use crate::options;
use crate::units::Bytes;
use crate::value::Size;
use fathom_text::words::first_of;
use std::collections::{BTreeMap, BTreeSet};

/// Adds a finding for each pair of jobs that overlap, as far as pairs are reported, and one for the
/// path where there are more.
pub(super) fn find_overlaps(jobs: &[PlannedJob], lookup: &dyn TargetLookup, notes: &mut Notes) {
    for reaches in by_stage_and_place(jobs.iter(), lookup) {
        let all_met = meetings(reaches.clone());
        all_met.pairs.iter().for_each(|pair| notes.push(judge(pair)));
        if all_met.is_cut {
            notes.push(more(&reaches[0].file.path, &reaches, all_met.pairs.len()));
        }
    }
}

/// The finding for the pairs that are not reported.
fn more(path: &str, reaches: &[Reach<'_>], listed: usize) -> Diagnostic {
    let message = format!(
        "{} jobs share bytes of {path} with another job of the same stage; {listed} pairs of them are \
            listed, and the others were not compared",
        sharing(reaches)
    );
    let job = &reaches[0].planned.job;
    super::notes::note(job, &options::FILENAME, "overlap-more", message)
}

/// What the jobs reach, for each stage and each file or device, whatever path leads to it.
pub(super) fn by_stage_and_place<'a>(
    jobs: impl Iterator<Item = &'a PlannedJob>,
    lookup: &dyn TargetLookup,
) -> Vec<Vec<Reach<'a>>> {
    let mut groups: BTreeMap<(u32, String), Vec<Reach<'a>>> = BTreeMap::new();
    for planned in jobs {
        for file in planned.files.iter().filter(|file| !file.path.is_empty()) {
            let place = lookup.place(&file.path);
            groups.entry((planned.stage, place)).or_default().push(Reach { planned, file });
        }
    }
    groups.into_values().collect()
}

fn judge(meeting: &Meeting<'_>) -> Diagnostic {
    let Meeting { first, second, .. } = meeting;
    let writes = first.writes() || second.writes();
    let sequential = !first.rw.random && !second.rw.random;
    let clones = key(first) == key(second);
    let finding = match (sequential, writes, clones) {
        (true, _, true) => same_lbas(meeting),
        (_, true, _) if !(first.rw.random && second.rw.random) => {
            let hint = "stonewall between them, or offset and size that keep them apart";
            overlap_finding(
                meeting,
                Severity::Warning,
                "overlap-write",
                "both touch it and at least one writes",
            )
            .hint(hint)
        }
        (_, true, _) => overlap_finding(
            meeting,
            Severity::Note,
            "overlap-random",
            "random I/Os will sometimes overlap a write",
        ),
        (false, false, true) => overlap_finding(
            meeting,
            Severity::Note,
            "overlap-random",
            "each clone draws offsets from all of it, so together they read it several times",
        ),
        _ => overlap_finding(
            meeting,
            Severity::Note,
            "overlap-read",
            "both read it, so some reads may be answered by a cache",
        ),
    };
    let option = if clones { options::NUMJOBS.def.name } else { options::FILENAME.def.name };
    super::notes::at_name(finding, &second.job, option)
}

fn same_lbas(meeting: &Meeting<'_>) -> Diagnostic {
    let verb = if meeting.first.writes() { "write" } else { "read" };
    let why =
        format!("its clones {verb} the same LBAs in the same order, so a cache answers all but the first");
    overlap_finding(meeting, Severity::Warning, "V-43", &why).hint(own_part(&meeting.first.job))
}

fn own_part(job: &Job) -> String {
    let percent = 100 / job.get(&options::NUMJOBS).max(1);
    match (job.get(&options::SIZE), job.setting(&options::SIZE)) {
        (Some(Size::Bytes(_)), Some(size)) => {
            format!("offset_increment={} gives each clone its own part", size.text)
        }
        _ if percent > 0 => {
            format!("size={percent}% with offset_increment={percent}% gives each clone its own part")
        }
        _ => "size and offset_increment that give each clone its own part".to_owned(),
    }
}

fn overlap_finding(meeting: &Meeting<'_>, severity: Severity, code: &str, why: &str) -> Diagnostic {
    let who = |planned: &PlannedJob| format!("{}.{}", planned.name, planned.subjob);
    let length = Bytes(meeting.to - meeting.from);
    let message = format!(
        "{} and {} share {length} of {} (bytes {} to {}): {why}",
        who(meeting.first),
        who(meeting.second),
        meeting.path,
        meeting.from,
        meeting.to - 1,
    );
    Diagnostic::new(severity, code, message)
}

// Which jobs use the same bytes of a path at the same time.
//
// Ten thousand jobs on one file make fifty million pairs. A reader needs some of them and the
// number of jobs, so the search ends when it has found some, or has compared a fixed number of
// pairs for each region. Pairs with a writer are searched first, because they matter most.

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
pub(super) struct Meetings<'a> {
    /// The first meeting of each pair of jobs (a job with itself: of two
    /// clones).
    pub(super) pairs: Vec<Meeting<'a>>,
    /// Pairs that were looked at.
    pub(super) looks: usize,
    /// There may be further pairs.
    pub(super) is_cut: bool,
}

/// The meetings on one path, in the order of the bytes.
pub(super) fn meetings(reaches: Vec<Reach<'_>>) -> Meetings<'_> {
    meetings_of(reaches, &[WITH_WRITER, OF_READERS])
}

/// The meetings of these kinds, those of the first kind first.
pub(super) fn meetings_of<'a>(mut reaches: Vec<Reach<'a>>, kinds: &[PairKind]) -> Meetings<'a> {
    reaches.sort_by_key(|reach| (reach.file.offset, reach.planned.id));
    let mut all_met = Meetings::default();
    let looks_max = LOOKS_EACH * reaches.len() + PAIRS_MAX * PAIRS_MAX;
    for kind in kinds {
        Sweep { kind, looks_max, met: BTreeSet::new(), open: Default::default() }.run(&reaches, &mut all_met);
    }
    all_met.pairs.sort_by_key(|pair| (pair.from, pair.second.id, pair.first.id));
    all_met
}

/// How many jobs share bytes with another one, whether or not they take turns.
pub(super) fn sharing(reaches: &[Reach<'_>]) -> usize {
    let mut sorted = reaches.to_vec();
    sorted.sort_by_key(|reach| reach.file.offset);
    // The two jobs that reach furthest: one of them is not this one.
    let mut furthest: [Option<(u64, u32)>; 2] = [None; 2];
    let mut jobs = BTreeSet::new();
    for reach in &sorted {
        let (own, end) = (key(reach.planned), end_of(reach));
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

/// Which pairs a pass searches for.
pub(super) struct PairKind {
    /// The class of a job, below [`CLASSES`].
    pub(super) class: fn(&PlannedJob) -> usize,
    /// For each class, those that make a pair with it.
    pub(super) others: [&'static [usize]; CLASSES],
}

const CLASSES: usize = 3;
/// Pairs of which one writes.
const WITH_WRITER: PairKind = PairKind { class: reads_or_writes, others: [&[1], &[0, 1], &[]] };
/// The others.
const OF_READERS: PairKind = PairKind { class: reads_or_writes, others: [&[0], &[], &[]] };

fn reads_or_writes(planned: &PlannedJob) -> usize {
    usize::from(planned.writes())
}

/// One pass over the regions by their start. Of each job only the region that
/// ends last can still meet what begins later.
struct Sweep<'a, 'k> {
    kind: &'k PairKind,
    looks_max: usize,
    met: BTreeSet<(u32, u32)>,
    /// By class.
    open: [Open<'a>; CLASSES],
}

impl<'a> Sweep<'a, '_> {
    fn run(mut self, reaches: &[Reach<'a>], all_met: &mut Meetings<'a>) {
        let pairs_max = all_met.pairs.len() + PAIRS_MAX;
        let looks_max = all_met.looks + self.looks_max;
        for reach in reaches {
            let class = (self.kind.class)(reach.planned);
            self.open.iter_mut().for_each(|open| open.close(reach.file.offset.0));
            let others = self.kind.others[class];
            for (other, (other_end, earlier)) in others.iter().flat_map(|kind| &self.open[*kind].jobs) {
                if all_met.pairs.len() == pairs_max || all_met.looks == looks_max {
                    all_met.is_cut = true;
                    return;
                }
                all_met.looks += 1;
                let own = key(reach.planned);
                if !take_turns(earlier, reach.planned) && self.met.insert((own.min(*other), own.max(*other)))
                {
                    all_met.pairs.push(meeting(earlier, reach, *other_end));
                }
            }
            self.open[class].put(reach);
        }
    }
}

fn meeting<'a>(earlier: &'a PlannedJob, reach: &Reach<'a>, other_end: u64) -> Meeting<'a> {
    let (from, to) = (reach.file.offset.0, end_of(reach).min(other_end));
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
        let (job, end) = (key(reach.planned), end_of(reach));
        match self.jobs.get(&job) {
            Some((furthest, _)) if *furthest >= end => return,
            Some((furthest, _)) => drop(self.ends.remove(&(*furthest, job))),
            None => {}
        }
        self.jobs.insert(job, (end, reach.planned));
        self.ends.insert((end, job));
    }
}

fn end_of(reach: &Reach<'_>) -> u64 {
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

// Jobs that run at the same time on one device or file system, although they use other bytes of it.
//
// Without `stonewall` all sections of a job file run together, and each measures what the others leave of the disk.
// Files that several tools generate for "a read test and a write test" forget it (kubestr's, for one).

/// More names than this help nobody.
const NAMES_MAX: usize = 4;

/// What jobs can share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shared<'a> {
    Device(&'a str),
    FileSystem(u64),
}

/// Adds a note for each device or file system that several jobs of one stage use.
pub(super) fn find_together(jobs: &[PlannedJob], lookup: &dyn TargetLookup, notes: &mut Notes) {
    let mut users: BTreeMap<(u32, Shared<'_>), Vec<User<'_>>> = BTreeMap::new();
    let spans = spans(jobs, JobTime::expected);
    // A job that waits for another one, and clones of one job, are meant so.
    for (job, span) in jobs.iter().zip(&spans).filter(|(job, _)| job.subjob == 0 && job.wait_for.is_none()) {
        if let Some(shared) =
            job.files.iter().next().and_then(|file| shared_device(&file.path, file.kind, lookup))
        {
            // What is not known may be at any time.
            let (begins, ends) = span.map_or((0, u64::MAX), |(begins, ends)| (begins.0, ends.0));
            users.entry((job.stage, shared)).or_default().push(User { begins, ends, job });
        }
    }
    let users = users.into_iter().map(|(at, users)| (at, users_at_once(users)));
    for ((_, shared), jobs) in users.filter(|(_, jobs)| jobs.len() > 1) {
        let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
        let what = match shared {
            Shared::Device(path) => path.to_owned(),
            Shared::FileSystem(_) => {
                format!("the file system of {}", jobs[0].files.iter().next().map_or("", |file| &file.path))
            }
        };
        let message = format!(
            "the jobs {} run at the same time on {what}: each measures what the others leave of it",
            first_of(&names, NAMES_MAX)
        );
        let finding = notes::note(&jobs[1].job, &options::STONEWALL, "shared-target", message);
        notes.push(
            finding.hint("stonewall in each section behind the first has them run one after the other"),
        );
    }
}

/// A job, and when it runs, ns from the start of the plan.
#[derive(Clone, Copy)]
struct User<'a> {
    begins: u64,
    ends: u64,
    job: &'a PlannedJob,
}

/// The jobs that run at the same time as another one of them, in the order of the plan.
fn users_at_once(mut users: Vec<User<'_>>) -> Vec<&PlannedJob> {
    users.sort_by_key(|user| user.begins);
    let mut meet = Vec::new();
    let mut last_end = 0;
    for (place, user) in users.iter().enumerate() {
        let meets_next = users.get(place + 1).is_some_and(|next| next.begins < user.ends);
        if user.begins < last_end || meets_next {
            meet.push(user.job);
        }
        last_end = last_end.max(user.ends);
    }
    meet.sort_by_key(|job| job.id);
    meet
}

/// The device or file system of a target, as far as it is known.
fn shared_device<'a>(path: &'a str, kind: TargetKind, lookup: &dyn TargetLookup) -> Option<Shared<'a>> {
    match kind {
        TargetKind::Block | TargetKind::Namespace | TargetKind::ScsiNode | TargetKind::Simulated => {
            Some(Shared::Device(path))
        }
        TargetKind::File | TargetKind::Missing => lookup.look_up(path).file_system.map(Shared::FileSystem),
        TargetKind::Char
        | TargetKind::Directory
        | TargetKind::Closed
        | TargetKind::Name
        | TargetKind::None => None,
    }
}
