//! A worker before the start: files, buffers, random numbers, tallies.
//!
//! All that costs time or memory happens here, on the thread that will use it,
//! so that memory lies on its NUMA node and no page fault is measured.

use super::errors::Tolerance;
use super::recorder::{Recorder, RecorderParts, WINDOW_NS};
use super::{AtStart, FileTable, RunnerMessage, Shared, Worker, drain, failure};
use crate::clock::Clock;
use crate::cpu;
use crate::desc::{Desc, DescBlock};
use crate::engine::{self, EngineEntry};
use crate::hook::SharedHook;
use crate::log::{IssueLog, LogBuffer};
use crate::memory::{SlotLayout, SlotMemory, make_resident};
use crate::pace::Pacer;
use crate::pace::sleep::ask_for_precision;
use crate::payload::Payload;
use crate::sink::Stop;
use crate::source::seed::fresh_seed;
use crate::source::zoned::{self, Zoned};
use crate::source::{Feed, Listed, Replayed, Source};
use crate::tally::{Detail, PriorityTally, Tally};
use crate::target::{OpenHow, OpenTarget, SharedDrive, TargetSource, locked};
use crate::timeline;
use crate::verify::{SavedState, Verifier, VerifierParts, Writer};
use crate::write_hint::{WriteHint, open};
use crate::zones::{Claims, ZonePlace, ZoneTarget};
use fathom_job::direction::{Direction, PerDirection};
use fathom_job::options as opt;
use fathom_job::plan::{PlannedJob, TargetKind, VerifyPlan};
use fathom_job::priorities;
use fathom_results::JobFailure;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::OnceLock;

/// Number of tallies: one is being filled, and the collector has the other or has
/// given it back. It has a second for that.
const TALLIES: usize = 2;

impl<'a> Worker<'a> {
    /// Opens, maps, fills and places everything, on the thread that will use
    /// it. Errors say what could not be done.
    pub fn prepare(
        plan: &'a PlannedJob,
        entry: &EngineEntry,
        shared: &Shared<'a>,
        at_start: AtStart<'a>,
    ) -> Result<Self, JobFailure> {
        let clock = clock(plan, shared.clock);
        if !clock.is_virtual() {
            // In virtual time, many workers share the thread, and its speed does not matter.
            cpu::place(plan).map_err(failed)?;
        }
        make_resident();
        let kept_open = kept_open(plan, shared);
        let files = open_files(plan, kept_open, shared.targets)?;
        let simulated = simulated(plan, shared.targets)?;
        let replaces = plan.files.len() > files.len() && !files.is_empty();
        let file_table = replaces
            .then(|| FileTable::new(shared.targets, how(plan), WriteHint::of(&plan.job), files.len()));
        let seed = seed(plan);
        let is_stopped = || shared.stop.requested().is_some();
        let verifier = verifier(plan, shared, clock)?;
        let generated = || source(plan, seed, kept_open, &clock, &is_stopped);
        let zones = zones(plan, shared, &files, &simulated)?;
        let source = match (&verifier, &plan.verify) {
            _ if let (Some(claims), Some(asked)) = (&zones, fathom_job::plan::zones(&plan.job)) => {
                Feed::Zoned(Box::new(Zoned::new(generated()?, claims, plan, &asked)))
            }
            _ if plan.replays.is_some() => Feed::Replayed(Box::new(replayed(plan, shared, clock)?)),
            (Some(verifier), _) if plan.reads_back.is_some() => Feed::Listed(Listed::new(verifier)),
            (Some(verifier), Some(verify)) if verifier.borrow().guides() => {
                Feed::checked(generated()?, verifier, plan, verify)
            }
            _ => Feed::of(generated()?),
        };
        let mut depth = plan.depth.reachable.max(1);
        let mut buffers = map_buffers(plan, depth, shared.stop).map_err(failed)?;
        if is_stopped() {
            // The job is stopping, so it does not wait until the rest of
            // the memory is filled and registered.
            depth = 1;
            buffers = map_buffers(plan, depth, shared.stop).map_err(failed)?;
        }
        let syncs = source.syncs() || drain::syncs(plan);
        // A simulated drive keeps no data, and to make 16 GiB of it would take longer than to simulate the writes.
        let payload = match plan.engine == fathom_job::engine::SIM {
            true => Payload::unseen(clock),
            false if verifier.is_some() => Payload::proven(clock),
            false => {
                let root_of = |job: &PlannedJob| self::seed(job) ^ BUFFER_SEED;
                Payload::new(plan, shared.jobs, &root_of, &mut buffers, clock)
            }
        };
        let inner = match (&verifier, &zones) {
            (Some(verifier), _) => Some(verifier.clone() as SharedHook),
            (None, zones) => zones.clone().map(|zones| zones as SharedHook),
        };
        let issue_log = issue_log(plan, shared, clock, inner)?;
        let serializes = plan.job.get(&opt::SERIALIZE_OVERLAP);
        Ok(Worker {
            plan,
            files,
            simulated,
            targets: shared.targets,
            file_table,
            broken: None,
            buffers,
            payload,
            is_plain: source.is_plain() && !serializes,
            serializes,
            writes: plan.writes(),
            source,
            block: DescBlock::new(),
            pacer: pacer(plan, clock, depth, shared),
            is_paced: is_paced(plan),
            recorder: recorder(plan, entry, shared, clock, depth, syncs),
            tolerance: Tolerance::of(&plan.job),
            first_error: None,
            lender: shared.loan.lender(),
            stop: shared.stop,
            depth,
            verifier,
            zones,
            issue_log,
            at_start,
        })
    }
}

/// Keeps buffer contents independent of the offsets drawn from the same seed.
const BUFFER_SEED: u64 = 0x6675_6c6c_2062_7566;

fn source(
    plan: &PlannedJob,
    seed: u64,
    kept_open: usize,
    clock: &Clock,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Source, JobFailure> {
    Source::new(plan, seed, kept_open, clock, is_stopped).map_err(|e| failure(0, e.to_string()))
}

/// The recording of what a job issues, if it asks for one.
fn issue_log(
    plan: &PlannedJob,
    shared: &Shared<'_>,
    clock: Clock,
    inner: Option<SharedHook>,
) -> Result<Option<Rc<RefCell<IssueLog>>>, JobFailure> {
    if !plan.records() {
        return Ok(None);
    }
    may_keep_open(plan, shared, "write_iolog")?;
    let out = shared.out.clone();
    let give = Box::new(move |chunk| {
        let _ = out.send(RunnerMessage::Log(chunk));
        if clock.is_virtual() {
            timeline::let_take();
        }
    });
    Ok(Some(Rc::new(RefCell::new(IssueLog::new(plan.id, clock, inner, give)))))
}

/// The zones of the files of a job with `zonemode=zbd`.
fn zones(
    plan: &PlannedJob,
    shared: &Shared<'_>,
    files: &[OpenTarget],
    simulated: &[SharedDrive],
) -> Result<Option<Rc<RefCell<Claims>>>, JobFailure> {
    let Some(asked) = fathom_job::plan::zones(&plan.job) else { return Ok(None) };
    may_keep_open(plan, shared, "zonemode=zbd")?;
    let mut claims = Claims::new(plan.depth.reachable, plan.writes());
    for (index, file) in plan.files.iter().enumerate() {
        let drive = simulated.get(index).filter(|drive| locked(drive).has_zones());
        let open = files.get(index);
        let failed = |e: std::io::Error| failure(errno_of(&e), format!("{}: {e}", file.path));
        let place = ZonePlace::of(file, open).map_err(failed)?;
        let target = ZoneTarget::of(file, open, drive).map_err(failed)?;
        let table = shared
            .among_jobs
            .zones
            .of(place, || crate::zones::table(&target, &asked, file, open))
            .map_err(failed)?;
        let (zone_bytes, count, open_max) = {
            let table = crate::zones::locked(&table);
            (table.zone_bytes(), table.zones().len(), table.open_max())
        };
        let range =
            (file.offset.0 / zone_bytes) as usize..((file.offset.0 + file.size.0) / zone_bytes) as usize;
        if range.end > count || (target.is_kept() && zone_bytes != asked.size.0) {
            let message = format!(
                "{}: an earlier job of this run uses {count} zones of {zone_bytes} bytes there; hint: the same zonesize \
                 and size in all jobs",
                file.path
            );
            return Err(failure(libc::EINVAL, message));
        }
        claims.add_file(table, target, zoned::terms(plan, &asked, range, open_max));
    }
    Ok(Some(Rc::new(RefCell::new(claims))))
}

/// The trace of a job that replays one.
fn replayed(plan: &PlannedJob, shared: &Shared<'_>, clock: Clock) -> Result<Replayed, JobFailure> {
    may_keep_open(plan, shared, "a replay")?;
    let traces = shared.targets.traces(plan.id).map_err(failed)?;
    Replayed::new(plan, traces, clock).map_err(|why| failure(0, why))
}

/// What a job of an earlier run wrote, whose plan is `writes`: its I/Os are made again, and taken as done.
fn repeated(
    writes: &PlannedJob,
    source: Source,
    clock: Clock,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Writer, JobFailure> {
    let verify = writes.verify.clone().ok_or_else(|| failure(0, "it verifies nothing".to_owned()))?;
    let verify = VerifyPlan { threads: 0, is_fatal: false, dumps: false, ..verify };
    let parts = VerifierParts { plan: writes, verify: &verify, clock, wrong_blocks: Rc::new(|_| true) };
    let verifier = Verifier::repeating(&parts)?.ok_or_else(too_many_blocks)?;
    let verifier = Rc::new(RefCell::new(verifier));
    let mut feed = Feed::checked(source, &verifier, writes, &verify);
    let mut block = [Desc::EMPTY; DescBlock::LEN];
    while !is_stopped() {
        let count = feed.fill(&mut block);
        if count == 0 {
            break;
        }
        block[..count].iter().for_each(|desc| verifier.borrow_mut().repeat(desc));
    }
    let writer = verifier.borrow_mut().take_writer();
    Ok(writer)
}

/// The hook of a job that verifies. What a job reads back was written by another job, now or in an earlier run.
fn verifier(
    plan: &PlannedJob,
    shared: &Shared<'_>,
    clock: Clock,
) -> Result<Option<Rc<RefCell<Verifier>>>, JobFailure> {
    let Some(verify) = &plan.verify else { return Ok(None) };
    may_keep_open(plan, shared, "verify")?;
    let writer_of = |id: u32| -> Result<Writer, JobFailure> {
        if verify.loads_state {
            return restored(&shared.jobs[id as usize], shared);
        }
        if !verify.only {
            let nothing = || failure(0, "the job whose writes it reads back wrote nothing".to_owned());
            return shared.among_jobs.handover.take(id).ok_or_else(nothing);
        }
        let (writes, is_stopped) = (&shared.jobs[id as usize], || shared.stop.requested().is_some());
        let source = source(writes, self::seed(writes), writes.files.len(), &clock, &is_stopped)?;
        repeated(writes, source, clock, &is_stopped)
    };
    let out = shared.out.clone();
    let give = move |block| out.send(RunnerMessage::WrongBlock(Box::new(block))).is_ok();
    let parts = VerifierParts { plan, verify, clock, wrong_blocks: Rc::new(give) };
    let mut verifier = match plan.reads_back {
        Some(id) => Verifier::reading_back(writer_of(id)?, &parts)?,
        None if verify.loads_state && verify.checks_reads => {
            Verifier::reading_back(restored(plan, shared)?, &parts)?
        }
        None => Verifier::new(&parts, shared.among_jobs.handover.lineage())?.ok_or_else(too_many_blocks)?,
    };
    if plan.reads_back.is_none() {
        let (job, out) = (plan.id, shared.out.clone());
        verifier.save_states(
            plan,
            Box::new(move |SavedState { bytes, is_final }| {
                // While the job runs, a collector that is late holds up no I/O: the next state comes soon.
                let message = RunnerMessage::VerifyState { job, bytes };
                let _ = if is_final { out.send(message).is_ok() } else { out.try_send(message).is_ok() };
            }),
        );
    }
    Ok(Some(Rc::new(RefCell::new(verifier))))
}

/// What an earlier run of this job wrote, by its state.
fn restored(writes: &PlannedJob, shared: &Shared<'_>) -> Result<Writer, JobFailure> {
    let nothing = || failure(0, "there is no state of the job whose writes are to be checked".to_owned());
    let state = shared.targets.verify_state(writes.id).ok_or_else(nothing)?;
    Writer::restored(&writes.files, &state).ok_or_else(too_many_blocks)
}

fn too_many_blocks() -> JobFailure {
    failure(
        libc::ENOMEM,
        "verify keeps the last write of each block, and the job has more than 2^31 blocks".to_owned(),
    )
}

/// An error unless all files of the job may be open at a time, which `what` needs.
fn may_keep_open(plan: &PlannedJob, shared: &Shared<'_>, what: &str) -> Result<(), JobFailure> {
    let (files, most) = (plan.files.len(), shared.open_files_max);
    match files > most {
        true => Err(failure(libc::EMFILE, format!("{what} keeps all {files} files open, and {most} may be"))),
        false => Ok(()),
    }
}

/// How many of its files a job keeps open: all, if it verifies, replays or records. A job that works on names opens none.
fn kept_open(plan: &PlannedJob, shared: &Shared<'_>) -> usize {
    let keeps_all = plan.verify.is_some()
        || plan.replays.is_some()
        || plan.records()
        || fathom_job::plan::zones(&plan.job).is_some();
    if keeps_all || plan.is_of_names() {
        return plan.files.len();
    }
    let asked = plan.open_files_max().map_or(usize::MAX, |count| count.max(1) as usize);
    asked.min(shared.open_files_max).min(plan.files.len())
}

fn how(plan: &PlannedJob) -> OpenHow {
    let sync = plan.job.get(&opt::SYNC);
    OpenHow {
        write: plan.writes(),
        direct: plan.direct && !plan.maps_files(),
        sync: sync == "sync",
        dsync: sync == "dsync",
    }
}

fn open_files(
    plan: &PlannedJob,
    count: usize,
    targets: &dyn TargetSource,
) -> Result<Vec<OpenTarget>, JobFailure> {
    if plan.is_of_names() {
        return Ok(Vec::new());
    }
    let named = plan.files[..count].iter().filter(|f| f.is_on_machine());
    named.map(|f| open(targets, &f.path, how(plan), WriteHint::of(&plan.job)).map_err(failed)).collect()
}

fn simulated(plan: &PlannedJob, targets: &dyn TargetSource) -> Result<Vec<SharedDrive>, JobFailure> {
    let named = plan.files.iter().filter(|file| file.kind == TargetKind::Simulated);
    named.map(|file| targets.simulated(&file.path).map_err(failed)).collect()
}

/// `randrepeat` gives every run the same numbers; each clone has its own numbers.
fn seed(plan: &PlannedJob) -> u64 {
    let job = &plan.job;
    if job.is_given(&opt::RANDSEED) || job.get(&opt::RANDREPEAT) {
        let seed = job.get(&opt::RANDSEED);
        return seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(u64::from(plan.id));
    }
    // Jobs that share duplicates know each other's seeds, which are new in each process.
    if job.get(&opt::DEDUPE_GLOBAL) {
        static OF_PROCESS: OnceLock<u64> = OnceLock::new();
        return OF_PROCESS.get_or_init(fresh_seed).wrapping_add(u64::from(plan.id));
    }
    fresh_seed()
}

fn map_buffers(plan: &PlannedJob, depth: u32, stop: &Stop) -> std::io::Result<SlotMemory> {
    let job = &plan.job;
    let huge = matches!(job.get(&opt::MEM), "shmhuge" | "mmaphuge");
    let layout = SlotLayout {
        slots: depth as usize,
        slot_bytes: plan.transfer_max().0 as usize,
        align: job.get(&opt::IOMEM_ALIGN).0 as usize,
        huge,
        splits_writes: plan.uses(Direction::Read) && plan.uses(Direction::Write),
    };
    // No I/O of a simulated drive touches its buffer, so the pages are not taken: 256 MiB for each round of large blocks.
    let is_unused = plan.engine == fathom_job::engine::SIM;
    SlotMemory::map_until(layout, || is_unused || stop.requested().is_some())
}

/// The run's clock. In a rehearsal it goes faster. A job in virtual time has the run's
/// clock if that is virtual too, and otherwise one of its thread.
fn clock(plan: &PlannedJob, clock: Clock) -> Clock {
    if clock.is_virtual() {
        return clock;
    }
    if engine::is_virtual(plan) {
        return Clock::virtual_time();
    }
    match plan.job.get(&opt::CLOCK_SPEED) {
        1 => clock,
        speed => clock.faster(speed as u32),
    }
}

/// Limits that are only judged, from windows or rows, need no paced loop.
fn is_paced(plan: &PlannedJob) -> bool {
    let pace = &plan.pace;
    plan.keeps_gaps() || pace.is_paced() || pace.think.is_some() || pace.goal.is_some() || pace.flow.is_some()
}

fn pacer(plan: &PlannedJob, clock: Clock, depth: u32, shared: &Shared<'_>) -> Pacer {
    if is_paced(plan) && !clock.is_virtual() {
        ask_for_precision();
    }
    Pacer::new(plan, clock, depth, &shared.among_jobs.flows)
}

/// The ramp. A search for a depth is not a measurement but a ramp, which ends when
/// the search has ended, or with the run time.
fn ramp_ns(plan: &PlannedJob) -> u64 {
    // Its bytes end it.
    if plan.ramp.0 == 0 && plan.ramp_size().0 > 0 {
        return u64::MAX;
    }
    let search_ns = if plan.pace.searches_first() { plan.end.time.map_or(u64::MAX, |t| t.0) } else { 0 };
    plan.ramp.0.saturating_add(search_ns)
}

/// The run time. A depth that was found is measured for one window of the search, and
/// for at least one window of the series.
fn runtime_ns(plan: &PlannedJob) -> Option<u64> {
    match &plan.pace.goal {
        Some(goal) if plan.pace.searches_first() => Some(goal.window.0.max(WINDOW_NS)),
        _ => plan.end.time.map(|t| t.0),
    }
}

fn recorder(
    plan: &PlannedJob,
    entry: &EngineEntry,
    shared: &Shared<'_>,
    clock: Clock,
    depth: u32,
    syncs: bool,
) -> Recorder {
    let used = PerDirection::from_fn(|d: Direction| plan.issues(d));
    let detail = Detail::of(plan, entry.is_sync);
    let by_priority = PriorityTally::of(&plan.job, detail);
    let tally = || {
        let mut tally = Box::new(Tally::new(detail, used, depth as usize, syncs));
        tally.by_priority = by_priority.clone();
        tally
    };
    Recorder::new(RecorderParts {
        clock,
        job: plan.id,
        tallies: (0..TALLIES).map(|_| tally()).collect(),
        out: shared.out.clone(),
        ramp_ns: ramp_ns(plan),
        ramp_bytes: shared.among_jobs.ramps.join(plan),
        runtime_ns: runtime_ns(plan),
        log: LogBuffer::of(&plan.job, used, entry.is_sync),
        pace: plan.pace.clone(),
        priority: priorities::own(&plan.job).unwrap_or(0),
    })
}

/// The failure of a job after an error of the system.
pub(super) fn failed(e: std::io::Error) -> JobFailure {
    failure(errno_of(&e), e.to_string())
}

/// The errno of an error. If the error has a message of its own and the system's error as its source, the errno is
/// that of the source.
fn errno_of(e: &std::io::Error) -> i32 {
    let of_source = || e.get_ref()?.source()?.downcast_ref::<std::io::Error>()?.raw_os_error();
    e.raw_os_error().or_else(of_source).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind};

    #[test]
    fn an_error_in_words_of_its_own_keeps_the_errno_of_the_system() {
        #[derive(Debug, thiserror::Error)]
        #[error("cannot open /x/y")]
        struct Named(#[source] Error);
        let system = || Error::from_raw_os_error(libc::EINVAL);
        assert_eq!(failed(system()).errno, libc::EINVAL);
        let named = failed(Error::new(ErrorKind::InvalidInput, Named(system())));
        assert_eq!((named.errno, named.message.as_str()), (libc::EINVAL, "cannot open /x/y"));
        assert_eq!(failed(Error::other("refused")).errno, 0);
    }
}
