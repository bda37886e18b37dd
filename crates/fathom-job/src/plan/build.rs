//! [`plan`]: jobs, machine and targets to a [`Plan`], or all that is wrong.

use super::clones::CloneRegion;
use super::engine_of::engine_of;
use super::layout::PlannedLayout;
use super::notes::{self, Checked, Notes};
use super::target::PlannedTarget;
use super::target::{Machine, TargetFacts, TargetKind, TargetLookup};
use super::{EndRule, Expected, FileList, Plan, PlannedFile, PlannedJob};
use super::{
    batching, blocks, clock, clones, cpus, direct, ends, files, fill, forecast, limits, memory, mix, overlap,
    pace_blocks, pacing, region, sector_split, space, steady, together, zones,
};
use crate::diagnostic::Diagnostic;
use crate::direction::{Direction, PerDirection};
use crate::engine::EngineDef;
use crate::job::Job;
use crate::units::Bytes;
use crate::{lint, options};
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
    limits::amount(jobs).map_err(|error| vec![error])?;
    let mut notes = Notes::default();
    let world = World {
        engines,
        machine,
        targets: &Remembered { lookup: targets, seen: RefCell::default(), empty: RefCell::default() },
    };
    let places = clones::expand(jobs);
    let mut layout = PlannedLayout::default();
    let mut planned: Vec<PlannedJob> =
        places.into_iter().filter_map(|place| world.resolve(place, &mut layout, &mut notes)).collect();
    overlap::find(&planned, &mut notes);
    together::find(&planned, world.targets, &mut notes);
    fill::find(&mut planned, world.targets, &mut notes);
    space::find(&planned, world.targets, &mut notes);
    memory::find(&planned, machine, &mut notes);
    notes.take(clock::agrees(&planned));
    steady::agrees(&planned, &mut notes);
    let mut plan = Plan { jobs: planned, findings: notes.finish()? };
    plan.findings.extend(lint::findings(&plan, engines, machine));
    plan.findings.extend(sector_split::findings(&plan.jobs));
    plan.findings.sort_by_key(|finding| Reverse(finding.severity));
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
        let engine = &notes.take(engine_of(&place.job, self.engines))?;
        let mut planned = self.without_files(place, engine, notes)?;
        notes.take(can_issue(&planned, engine))?;
        let targets = files::targets(&planned.job, planned.subjob, engine, self.targets, notes);
        if targets.is_empty() {
            return None;
        }
        notes.take(fill::check(&planned, &targets))?;
        add_files(&mut planned, &targets, layout, notes)?;
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
    fn without_files(&self, place: CloneRegion, engine: &EngineDef, notes: &mut Notes) -> Option<PlannedJob> {
        let job = &place.job;
        let rw = job.get(&options::RW);
        let direct = direct::asked(job);
        let block = blocks::sizes(job);
        let read_percent = mix::read_percent(job, rw.mix);
        let issues = PerDirection::from_fn(|d| rw.mix.issues(read_percent, d));
        let within =
            [limits::block(job, &block, issues), limits::buffer_align(job), clock::suits(job, engine)];
        steady::check(job, notes)?;
        let allowed = cpus::allowed(job, place.id, self.machine, notes);
        within.map(|limit| notes.take(limit)).into_iter().collect::<Option<()>>()?;
        let depth = batching::depth(job, engine, direct, notes);
        let pace = pacing::pace(job, issues, depth.reachable, notes);
        if let Some(pace) = &pace {
            pace_blocks::find(job, pace, &block, notes);
        }
        Some(PlannedJob {
            id: place.id,
            name: job.name.clone(),
            subjob: place.subjob,
            group: place.group,
            stage: place.stage,
            wait_for: job.get(&options::WAIT_FOR),
            engine: engine.name.to_owned(),
            cpus: notes.take(allowed)?,
            direct,
            read_percent,
            rw,
            align: blocks::align(job, &block),
            block,
            depth,
            compat_fio: batching::as_fio(job),
            pace: pace?,
            files: FileList::default(),
            end: UNKNOWN_END,
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
    let mut regions = region::regions(planned, targets, layout, notes)?;
    layout.assign(planned, &mut regions.files);
    notes.take(region::fits(planned, targets, &regions.files))?;
    notes.take(zones::fit(planned, &regions.files))?;
    for (file, target) in regions.files.iter().zip(targets) {
        direct::check(planned, file, target.facts.direct_align, notes);
    }
    planned.end = notes.take(ends::rule(planned, &regions))?;
    planned.files = regions.files.into();
    planned.expected = forecast::expected(planned);
    planned.memory = memory::estimate(planned);
    Some(())
}

/// A placeholder until the target is known.
const UNKNOWN_END: EndRule = EndRule {
    bytes: None,
    ios: None,
    time: None,
    loops: 1,
    time_based: false,
    passes: None,
    when_full: false,
};

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
    seen: RefCell<HashMap<String, TargetFacts>>,
    /// Of each file whose data was looked for, how much it lacks.
    empty: RefCell<HashMap<String, Option<Bytes>>>,
}

/// A file system may take a millisecond for each file, and the first files stand for all of them.
const LOOKED_FOR_DATA_MAX: usize = 64;

impl TargetLookup for Remembered<'_> {
    fn look_up(&self, path: &str) -> TargetFacts {
        *self.seen.borrow_mut().entry(path.to_owned()).or_insert_with(|| self.lookup.look_up(path))
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
}
