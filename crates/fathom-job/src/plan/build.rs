//! [`plan`]: jobs, machine and targets to a [`Plan`], or all that is wrong; the clones of a job, and what no plan may ask for.

use super::layout::PlannedLayout;
use super::notes::{self, Checked, Notes};
use super::replay::Trace;
use super::target::{AtomicLimits, Machine, PlannedTarget, TargetFacts, TargetKind, TargetLookup, engine_of};
use super::{
    BlockSizes, EndRule, Expected, FileList, Plan, PlannedFile, PlannedJob, atomic, batching, blocks,
    cpu_load, cpus, duration, ends, files, layout, listed, memory, names, overlap, pace, passthrough,
    read_back, region, replay, steady, strides, verify, zones,
};
use crate::diagnostic::Diagnostic;
use crate::direction::{Direction, PerDirection};
use crate::engine::EngineDef;
use crate::job::Job;
use crate::trace::{ReplayTerms, TraceFacts, TraceFault};
use crate::units::Bytes;
use crate::{lint, options, priorities};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

/// Resolves jobs into what will run, in start order.
///
/// # Errors
/// Every error of every job, not only the first.
pub fn plan(
    jobs: &[Job],
    engines: &[EngineDef],
    machine: &Machine,
    targets: &dyn TargetLookup,
) -> Result<Plan, Vec<Diagnostic>> {
    if jobs.is_empty() {
        return Err(vec![
            Diagnostic::error("no-jobs", "there is no job to run")
                .hint("a job file has at least one [section]"),
        ]);
    }
    check_amount(jobs).and_then(|()| check_reported(jobs)).map_err(|error| vec![error])?;
    let mut notes = Notes::default();
    let world = World {
        engines,
        machine,
        targets: &Remembered {
            lookup: targets,
            known: RefCell::default(),
            places: RefCell::default(),
            empty: RefCell::default(),
            traces: RefCell::default(),
            trees: RefCell::default(),
        },
    };
    let places = expand_clones(jobs);
    let mut layout = PlannedLayout::default();
    let mut planned: Vec<PlannedJob> =
        places.into_iter().filter_map(|place| world.resolve(place, &mut layout, &mut notes)).collect();
    overlap::find_overlaps(&planned, world.targets, &mut notes);
    verify::find_faults(&planned, world.targets, &mut notes);
    overlap::find_together(&planned, world.targets, &mut notes);
    layout::find_fills(&mut planned, world.targets, &mut notes);
    names::find_laid_out(&planned, &mut notes);
    zones::find_empty(&planned, &mut notes);
    layout::find_lack_of_space(&planned, world.targets, &mut notes);
    memory::find(&planned, machine, &mut notes);
    notes.take(duration::clocks_agree(&planned));
    steady::agrees(&planned, &mut notes);
    cpu_load::find_endless(&planned, &mut notes);
    let mut plan = Plan { jobs: planned, findings: notes.finish()? };
    plan.findings.extend(lint::findings(&plan, engines, machine));
    plan.findings.extend(blocks::sector_findings(&plan.jobs));
    plan.findings.sort_by_key(|finding| Reverse(finding.severity));
    // What is found of a job is true of the one that reads back what it wrote, and the two never run at the same time.
    read_back::add(&mut plan.jobs);
    Ok(plan)
}

/// What the jobs are resolved against.
struct World<'a> {
    engines: &'a [EngineDef],
    machine: &'a Machine,
    targets: &'a Remembered<'a>,
}

impl World<'_> {
    fn resolve(
        &self,
        place: CloneRegion,
        layout: &mut PlannedLayout,
        notes: &mut Notes,
    ) -> Option<PlannedJob> {
        let (job, trace) = notes.take(replay::with_trace(place.job, place.subjob, self.targets))?;
        let place = CloneRegion { job, ..place };
        let engine = &notes.take(engine_of(&place.job, self.engines))?;
        let place = CloneRegion { job: cpu_load::with_load(place.job, engine, notes)?, ..place };
        let mut planned = self.without_files(place, engine, trace.as_ref(), notes)?;
        notes.take(can_issue(&planned, engine))?;
        let verify = verify::plan_of(&planned, engine, self.machine, notes);
        planned.verify = notes.take(verify)?;
        notes.take(passthrough::check_job(&planned, engine))?;
        let targets = files::targets(&planned.job, planned.subjob, engine, self.targets, notes);
        if targets.is_empty() {
            return None;
        }
        let targets = listed::without_short(&planned, targets, notes);
        let targets = notes.take(targets)?;
        notes.take(layout::check_fill(&planned, &targets))?;
        notes.take(layout::check_create_on_open(&planned, &targets))?;
        match &trace {
            Some(trace) => replay::add_files(&mut planned, trace, &targets, layout, notes)?,
            None => add_files(&mut planned, &targets, layout, notes)?,
        }
        notes.take(atomic::check(&planned, self.targets))?;
        notes.take(replay::can_be_recorded(&planned))?;
        if planned.uses(Direction::Read) {
            planned.files.for_each_mut(|file| self.look_for_unwritten(file));
        }
        Some(planned)
    }

    fn look_for_unwritten(&self, file: &mut PlannedFile) {
        if file.kind == TargetKind::File {
            file.without_data = self.targets.without_data(&file.path);
        }
        if file.kind == TargetKind::Block {
            let end = Bytes(file.offset.0.saturating_add(file.size.0));
            file.is_written = self.targets.is_written(&file.path, file.offset, end);
            file.never_written =
                self.targets.never_written(&file.path, file.offset, end).filter(|_| !file.is_written);
        }
    }

    /// All that does not depend on the target.
    fn without_files(
        &self,
        place: CloneRegion,
        engine: &EngineDef,
        trace: Option<&Trace>,
        notes: &mut Notes,
    ) -> Option<PlannedJob> {
        let job = &place.job;
        let rw = job.get(&options::RW);
        let direct = blocks::is_direct(job);
        let block = trace.map_or_else(|| blocks::sizes(job), Trace::sizes);
        let read_percent = trace.map_or_else(|| blocks::read_percent(job, rw.mix), Trace::read_percent);
        let issues = PerDirection::from_fn(|d| match trace {
            Some(trace) => trace.issues(d),
            None => rw.mix.issues(read_percent, d),
        });
        let within = [
            check_priorities(job),
            check_stored_logs(job),
            check_overlaps(job),
            check_blocks(job, &block, issues),
            blocks::check_seq_rand(job),
            check_buffer_align(job),
            duration::clock_suits(job, engine),
        ];
        steady::check(job, notes)?;
        let allowed = cpus::allowed(job, place.id, self.machine, notes);
        within.map(|limit| notes.take(limit)).into_iter().collect::<Option<()>>()?;
        let depth = batching::depth(job, engine, issues, direct, notes);
        let pace = pace::pace_of(job, issues, depth.reachable, notes);
        if let Some(pace) = &pace {
            pace::find_large_blocks(job, pace, &block, notes);
        }
        let allowed = notes.take(allowed)?;
        Some(PlannedJob {
            id: place.id,
            name: job.name.clone(),
            subjob: place.subjob,
            group: place.group,
            stage: place.stage,
            wait_for: job.get(&options::WAIT_FOR),
            engine: engine.name.to_owned(),
            cpus: allowed.cpus,
            missing_cpus: allowed.missing,
            direct,
            read_percent,
            rw,
            align: blocks::align(job, &block),
            block,
            depth,
            compat_fio: batching::as_fio(job),
            verify: None,
            reads_back: None,
            replays: trace.map(Trace::plan),
            pace: pace?,
            files: FileList::default(),
            // Until the target is known.
            end: EndRule::NONE,
            ramp: job.get(&options::RAMP_TIME),
            start_delay: ends::start_delay(job, place.subjob),
            idle_before: job.get(&options::IDLE_BEFORE),
            expected: Expected::default(),
            memory: Bytes(0),
            job: Arc::clone(job),
        })
    }
}

/// The rest: regions, end, forecast.
fn add_files(
    planned: &mut PlannedJob,
    targets: &[PlannedTarget],
    layout: &mut PlannedLayout,
    notes: &mut Notes,
) -> Option<()> {
    notes.take(zones::check(planned, targets))?;
    let mut regions = region::regions(planned, targets, layout, notes)?;
    notes.take(names::one_io_each(planned, &regions.files))?;
    notes.take(names::has_space(planned, &regions.files))?;
    layout.assign(planned, &mut regions.files);
    notes.take(region::zones_fit(planned, &regions.files))?;
    notes.take(strides::check(planned))?;
    for (file, target) in regions.files.iter().zip(targets) {
        blocks::check_alignment(planned, file, target.facts.direct_align, notes);
    }
    planned.end = notes.take(ends::rule(planned, &regions))?;
    planned.files = regions.files.into();
    planned.expected = duration::expected_of(planned);
    planned.memory = memory::estimate(planned);
    Some(())
}

/// The samples of compressed logs are those of fio 3.33.
fn check_stored_logs(job: &Job) -> Checked<()> {
    let has_both = job.get(&options::LOG_WINDOW_VALUE) == "both";
    if !job.get(&options::LOG_STORE_COMPRESSED) || !has_both && !job.get(&options::LOG_ISSUE_TIME) {
        return Ok(());
    }
    let message = format!(
        "job {}: the samples of log_store_compressed are those of fio 3.33, which have neither a time of issue nor two values",
        job.name
    );
    Err(notes::error(job, &options::LOG_STORE_COMPRESSED, "bad-stored-log", message)
        .hint("leave out log_store_compressed, or log_issue_time and log_window_value=both"))
}

/// The order of fio's calls has no place for an I/O that waits for another.
fn check_overlaps(job: &Job) -> Checked<()> {
    if !job.get(&options::SERIALIZE_OVERLAP) || !batching::as_fio(job) {
        return Ok(());
    }
    let message = format!("job {}: serialize_overlap and compat=fio exclude each other", job.name);
    Err(notes::error(job, &options::SERIALIZE_OVERLAP, "overlap-as-fio", message)
        .hint("leave out one of them"))
}

fn check_priorities(job: &Job) -> Checked<()> {
    let error = |why| {
        notes::error(job, &options::CMDPRIO_BSSPLIT, "bad-priorities", format!("job {}: {why}", job.name))
    };
    priorities::raised(job)
        .map(drop)
        .map_err(|why| error(why).hint("cmdprio_bssplit=4k/10:64k/50/2/0, for example"))
}

fn can_issue(planned: &PlannedJob, engine: &EngineDef) -> Checked<()> {
    match Direction::ALL.into_iter().find(|d| planned.uses(*d) && !engine.can(*d)) {
        None => Ok(()),
        Some(direction) => {
            let message = format!("ioengine={} cannot {}", engine.name, direction.name());
            Err(notes::error(&planned.job, &options::RW, "engine-cannot", message)
                .hint("ioengine=psync or io_uring"))
        }
    }
}

/// Asks once about each path, however many clones share it.
struct Remembered<'a> {
    lookup: &'a dyn TargetLookup,
    known: RefCell<HashMap<String, TargetFacts>>,
    places: RefCell<HashMap<String, String>>,
    /// Of each file whose data was looked for, how much it lacks.
    empty: RefCell<HashMap<String, Option<Bytes>>>,
    /// Of each trace that was looked at, what it will do.
    traces: RefCell<Vec<(Vec<String>, ReplayTerms, TraceLook)>>,
    /// Of each tree that was listed, its files.
    trees: RefCell<HashMap<String, Result<Vec<String>, String>>>,
}

/// What a trace will do, or why it cannot be replayed.
type TraceLook = Result<Arc<TraceFacts>, TraceFault>;

/// A file system may take a millisecond for each file, and the first files stand for all of them.
const LOOKED_FOR_DATA_MAX: usize = 64;

impl TargetLookup for Remembered<'_> {
    fn look_up(&self, path: &str) -> TargetFacts {
        *self.known.borrow_mut().entry(path.to_owned()).or_insert_with(|| self.lookup.look_up(path))
    }

    fn place(&self, path: &str) -> String {
        let mut known = self.places.borrow_mut();
        known.entry(path.to_owned()).or_insert_with(|| self.lookup.place(path)).clone()
    }

    fn never_written(&self, path: &str, start: Bytes, end: Bytes) -> Option<Bytes> {
        self.lookup.never_written(path, start, end)
    }

    fn without_data(&self, path: &str) -> Option<Bytes> {
        let mut known = self.empty.borrow_mut();
        if let Some(bytes) = known.get(path) {
            return *bytes;
        }
        if known.len() >= LOOKED_FOR_DATA_MAX {
            return None;
        }
        *known.entry(path.to_owned()).or_insert_with(|| self.lookup.without_data(path))
    }

    fn is_written(&self, path: &str, start: Bytes, end: Bytes) -> bool {
        self.lookup.is_written(path, start, end)
    }

    fn atomic_writes(&self, path: &str) -> Option<AtomicLimits> {
        self.lookup.atomic_writes(path)
    }

    fn files_below(&self, directory: &str, most: usize) -> Result<Vec<String>, String> {
        let mut trees = self.trees.borrow_mut();
        let list = || self.lookup.files_below(directory, most);
        trees.entry(directory.to_owned()).or_insert_with(list).clone()
    }

    fn trace(&self, paths: &[String], terms: &ReplayTerms) -> Result<Arc<TraceFacts>, TraceFault> {
        let mut traces = self.traces.borrow_mut();
        if let Some((.., facts)) = traces.iter().find(|known| known.0 == paths && known.1 == *terms) {
            return facts.clone();
        }
        let facts = self.lookup.trace(paths, terms);
        traces.push((paths.to_vec(), terms.clone(), facts.clone()));
        facts
    }
}

// Jobs to clones: numbers, reporting groups and barrier stages.
//
// The rules are fio's, checked against fio 3.33: groups grow only by
// `stonewall` and `new_group` (whether or not `group_reporting` is set), the
// first job of all begins group 0 and stage 0 whatever it says, and clones
// after the first do not inherit either option.

/// A clone before it is resolved: which job, which copy, when.
#[derive(Clone, Debug)]
pub(super) struct CloneRegion {
    pub(super) job: Arc<Job>,
    pub(super) id: u32,
    pub(super) subjob: u32,
    pub(super) group: u32,
    pub(super) stage: u32,
}

/// Every clone of every job, in start order.
pub(super) fn expand_clones(jobs: &[Job]) -> Vec<CloneRegion> {
    let mut places = Vec::new();
    let (mut group, mut stage) = (0, 0);
    for (index, job) in jobs.iter().enumerate() {
        let barrier = job.get(&options::STONEWALL);
        if index > 0 {
            group += u32::from(barrier || job.get(&options::NEW_GROUP));
            stage += u32::from(barrier);
        }
        push_clones(&mut places, job, group, stage);
    }
    places
}

fn push_clones(places: &mut Vec<CloneRegion>, job: &Job, group: u32, stage: u32) {
    let shared = Arc::new(job.clone());
    for subjob in 0..job.get(&options::NUMJOBS) {
        let id = u32::try_from(places.len()).expect("numjobs is bounded by the option table");
        places.push(CloneRegion { job: Arc::clone(&shared), id, subjob, group, stage });
    }
}

// What the kernel and the engines cannot do, whatever the target: refused
// here, so that nothing is cut or wraps around while it runs.

/// `MAX_RW_COUNT` of linux/fs.h, `INT_MAX` rounded down to a page: one call
/// moves at most this, and says nothing about the rest.
const IO_MAX: Bytes = Bytes(0x7fff_f000);
/// Clones of one plan: no machine runs so many threads, and the plan has an entry for each.
const CLONES_MAX: u64 = 100_000;
/// Files of all clones together: each takes about a kilobyte of memory.
pub const FILES_ALL_MAX: u64 = 1_000_000;
/// A larger alignment would waste more memory than any buffer holds.
const ALIGN_MAX: Bytes = Bytes::gib(1);

/// Significant bits of the length of a trim: it is a number of so many bits
/// times a power of two, which is how a descriptor of the engine keeps it. Every
/// multiple of 512 bytes up to 1 TiB is such a length.
pub const TRIM_BITS: u32 = 31;
/// The longest trim: 4 EiB less 2 GiB, the largest number of so many bits with an
/// exponent of 31.
pub const TRIM_MAX: Bytes = Bytes(((1 << TRIM_BITS) - 1) << 31);

/// No block that the job `issues` may be more than one call can do. A job that
/// trims and writes writes what it trims.
pub(super) fn check_blocks(
    job: &Job,
    sizes: &PerDirection<BlockSizes>,
    issues: PerDirection<bool>,
) -> Checked<()> {
    if !issues.read && !issues.write {
        return check_trims(job, &sizes.trim);
    }
    let used = Direction::ALL.into_iter().filter(|&d| issues[d]);
    let Some(most) = used.map(|d| sizes[d].max()).max().filter(|most| *most > IO_MAX) else {
        return Ok(());
    };
    let option = blocks::option_in_force(job);
    let message = format!(
        "job {}: {option} of {} bytes is more than one I/O can move: Linux moves at most {} bytes \
         (MAX_RW_COUNT)",
        job.name, most.0, IO_MAX.0
    );
    let error = Diagnostic::error("block-too-large", message);
    let error =
        error.hint(format!("{option} of at most 1g; jobs of trims alone (rw=trim) take larger blocks"));
    Err(notes::at_name(error, job, option))
}

/// The blocks of a job that does nothing but trim: where the largest has 2 GiB
/// or more, all are multiples of a power of two.
fn check_trims(job: &Job, sizes: &BlockSizes) -> Checked<()> {
    let (most, option) = (sizes.max(), blocks::option_in_force(job));
    let power = (u64::BITS - most.0.leading_zeros()).saturating_sub(TRIM_BITS);
    let is_unaligned = job.get(&options::BS_UNALIGNED) && matches!(sizes, BlockSizes::Range { .. });
    let rule = match () {
        () if most > TRIM_MAX => format!("a trim has at most {} bytes", TRIM_MAX.0),
        () if power == 0 => return Ok(()),
        () if is_unaligned => format!("bs_unaligned=1 is for trims of less than {} bytes", 1u64 << TRIM_BITS),
        () => match odd(sizes, power) {
            Some(odd) => format!("such trims are multiples of {} bytes, and {} is not", 1u64 << power, odd.0),
            None => return Ok(()),
        },
    };
    let message = format!("job {}: {option} of {} bytes: {rule}", job.name, most.0);
    let error = Diagnostic::error("odd-trim", message).hint(format!("{option} of whole mebibytes"));
    Err(notes::at_name(error, job, option))
}

/// A size that is drawn and is not a multiple of 2 to the `power`. From a range, only
/// multiples of its smallest size are drawn.
fn odd(sizes: &BlockSizes, power: u32) -> Option<Bytes> {
    let is_odd = |size: &Bytes| size.0.trailing_zeros() < power;
    match sizes {
        BlockSizes::Fixed(size) | BlockSizes::Range { low: size, .. } => Some(*size).filter(is_odd),
        BlockSizes::Split(parts) => parts.iter().map(|(size, _)| *size).find(is_odd),
    }
}

/// Limits of all jobs together, checked before any of them is planned.
pub(super) fn check_amount(jobs: &[Job]) -> Checked<()> {
    let sum = |of: fn(&Job) -> u64| jobs.iter().map(of).fold(0, u64::saturating_add);
    let clones = sum(|job| u64::from(job.get(&options::NUMJOBS)));
    let all =
        sum(|job| u64::from(job.get(&options::NUMJOBS)).saturating_mul(super::files::count(job) as u64));
    let message = match () {
        () if clones > CLONES_MAX => {
            format!("the jobs make {clones} clones together; a plan has at most {CLONES_MAX}")
        }
        () if all > FILES_ALL_MAX => {
            format!("the clones have {all} files together; a plan has at most {FILES_ALL_MAX}")
        }
        () => return Ok(()),
    };
    let error = Diagnostic::error("too-many-jobs", message);
    Err(error.hint("smaller numjobs or nrfiles, or several runs one after another"))
}

/// A run in which no job is reported has no result.
fn check_reported(jobs: &[Job]) -> Checked<()> {
    match jobs.iter().all(|job| !job.get(&options::STATS)) {
        false => Ok(()),
        true => {
            let message = "with stats=0 for every job there is nothing to report";
            Err(notes::error(&jobs[0], &options::STATS, "nothing-reported", message)
                .hint("stats=1 for one of them"))
        }
    }
}

/// Buffers can start at multiples of powers of two only.
pub(super) fn check_buffer_align(job: &Job) -> Checked<()> {
    let align = job.get(&options::IOMEM_ALIGN);
    if align.0 == 0 || (align.0.is_power_of_two() && align <= ALIGN_MAX) {
        return Ok(());
    }
    let message = format!(
        "iomem_align of {} bytes: buffers are aligned to a power of two of at most {ALIGN_MAX}",
        align.0
    );
    let error = notes::error(job, &options::IOMEM_ALIGN, "bad-align", message);
    Err(error.hint("iomem_align=4k, or 0 for the page size"))
}
