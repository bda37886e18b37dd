//! The body of a worker: get ready, wait, run, report.

use super::RunContext;
use super::crew::Seat;
use super::gate::{LOOK, Ticket};
use crate::clock::Clock;
use crate::engine::{self, EngineEntry};
use crate::sink::Stop;
use crate::target::OpenTarget;
use crate::verify::failure_of;
use crate::worker::{
    AtStart, FileTable, RunnerMessage, Shared, SharedByJobs, Worker, failure, sync_at_end, syncs,
};
use crate::{invalidate, timeline};
use fathom_job::plan::{Plan, PlannedJob};
use fathom_results::outcome::ZONE_RESETS;
use fathom_results::{EndedBy, JobFailure, JobOutcome, Phase, Usage, Verification};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

/// What a worker needs. Its thread owns all of it: see [`super::crew`].
pub struct Orders {
    pub plan: Arc<Plan>,
    /// Index of the clone in the plan.
    pub job: usize,
    pub setting: RunContext,
    pub open_files_max: usize,
    /// The seats of all workers; one is its own.
    pub seats: Arc<[Seat]>,
    pub among_jobs: Arc<SharedByJobs>,
    pub out: SyncSender<RunnerMessage>,
    /// When the run began, after the files were laid out: `startdelay` counts from here, in every stage.
    pub begun: Instant,
    /// Its way through the common start; `None` in virtual time, where the workers of
    /// one thread take turns.
    pub ticket: Option<Ticket>,
}

/// Runs the worker. It always reports how the worker ended, because the collector
/// waits for that: a panic, which is a defect of fathom, fails its job alone.
pub fn work(orders: Orders, layout_bytes: u64) {
    orders.seats[orders.job].take();
    let (job, clock, out) = (orders.job as u32, orders.setting.clock, orders.out.clone());
    let mut outcome = catch_unwind(AssertUnwindSafe(|| run(orders))).unwrap_or_else(|_| {
        let why = failure(0, "the worker panicked: this is a defect of fathom".to_owned());
        JobOutcome { failure: Some(why), ..blank(job, clock) }
    });
    outcome.layout_bytes = layout_bytes;
    let _ = out.send(RunnerMessage::Ended(Box::new(outcome)));
}

/// An outcome of which nothing is known.
pub fn blank(job: u32, clock: Clock) -> JobOutcome {
    JobOutcome {
        job,
        at_ns: clock.since_origin(clock.now()),
        ended_by: EndedBy::Error,
        failure: None,
        first_error: None,
        measured_ns: None,
        usage: Usage::default(),
        layout_bytes: 0,
        sizes: Default::default(),
        notes: Vec::new(),
        verification: None,
    }
}

fn run(orders: Orders) -> JobOutcome {
    let Orders { plan, job, setting, open_files_max, seats, among_jobs, out, begun, ticket } = orders;
    let jobs = &plan.jobs;
    let (plan, Seat { stop, loan, .. }) = (&jobs[job], &seats[job]);
    let (targets, clock) = (&*setting.targets, setting.clock);
    let among_jobs = &among_jobs;
    let shared = Shared { targets, open_files_max, clock, out, stop, loan, jobs, among_jobs };
    let delay = Duration::from_nanos(plan.start_delay.0);
    let idle = Duration::from_nanos(plan.idle_before.0);
    let at_start = Box::new(move |begin: &mut dyn FnMut()| {
        let Some(mut ticket) = ticket else {
            timeline::line_up();
            let idle_ends = Duration::from_nanos(clock.nanos(clock.now())) + idle;
            pass_until(delay.max(idle_ends), &clock, stop);
            return begin();
        };
        ticket.ready(stop);
        let now = Instant::now();
        let due = (begun + delay).max(now + idle);
        if due <= now {
            begin();
            ticket.begun(stop);
        } else {
            // No worker waits for one that begins later.
            drop(ticket);
            sleep_until(due, stop);
            begin();
        }
    });
    match ready(plan, &shared, at_start) {
        Ok((entry, worker)) => run_to_end(entry, worker, &shared),
        Err(why) => JobOutcome { failure: Some(why), ..blank(plan.id, setting.clock) },
    }
}

fn ready<'a>(
    plan: &'a PlannedJob,
    shared: &Shared<'a>,
    at_start: AtStart<'a>,
) -> Result<(&'static EngineEntry, Worker<'a>), JobFailure> {
    let entry = engine::find(&plan.engine).ok_or_else(|| failure(0, format!("no engine {}", plan.engine)))?;
    let worker = Worker::prepare(plan, entry, shared, at_start)?;
    let cached = invalidate::settle_cache(plan, &worker.files, shared.targets, shared.stop).map_err(|e| {
        failure(e.raw_os_error().unwrap_or(0), format!("reading the files into the cache: {e}"))
    })?;
    if let Some(verifier) = worker.verifier.as_ref().filter(|_| plan.reads_back.is_some() && !plan.direct) {
        verifier.borrow_mut().stay_cached(cached);
    }
    Ok((entry, worker))
}

fn run_to_end(entry: &EngineEntry, mut worker: Worker<'_>, shared: &Shared<'_>) -> JobOutcome {
    // The worker's own clock: in a rehearsal it goes faster than the run's.
    let clock = worker.recorder.clock;
    let run = if worker.hook().is_some() { entry.run_hooked } else { entry.run };
    let end = run(&mut worker);
    if let Some(log) = worker.issue_log.take() {
        log.borrow_mut().finish();
    }
    if end.failure.is_none() && syncs(worker.plan) {
        let (job, at_ns) = (worker.plan.id, clock.since_origin(clock.now()));
        let _ = shared.out.send(RunnerMessage::Phase { job, phase: Phase::Drain, at_ns });
    }
    let failure = end.failure.or_else(|| sync_at_end(&mut worker).err());
    if let Some(verifier) = &worker.verifier
        && failure.is_none()
        && syncs(worker.plan)
    {
        verifier.borrow_mut().synced();
    }
    let (failure, verification) = verified(&mut worker, shared, failure);
    let Worker { plan, recorder, mut source, buffers, first_error, file_table, payload, pacer, .. } = worker;
    let measured = recorder.finish(if failure.is_some() { EndedBy::Error } else { end.ended_by });
    let mut notes = end.notes;
    notes.extend(clock.notes());
    notes.extend(measured.log_notes);
    notes.extend(source.take_zone_resets().map(|resets| (ZONE_RESETS.into(), resets.to_string())));
    notes.extend(file_table.iter().flat_map(FileTable::notes));
    if !clock.is_virtual() {
        // Whether there are huge pages depends on the machine.
        notes.push(("buffers.huge_pages".into(), buffers.is_huge().to_string()));
    }
    JobOutcome {
        ended_by: if failure.is_some() { EndedBy::Error } else { end.ended_by },
        failure,
        first_error,
        measured_ns: measured.window_ns,
        usage: Usage {
            data_made_ns: payload.made_ns(),
            woken_late_ns: pacer.woken_late_ns(),
            ..measured.usage
        },
        sizes: source.sizes_sent(),
        notes,
        verification,
        ..blank(plan.id, clock)
    }
}

/// What the worker verified, which may be why it failed. What it wrote goes to the job that reads it back.
fn verified(
    worker: &mut Worker<'_>,
    shared: &Shared<'_>,
    failure: Option<JobFailure>,
) -> (Option<JobFailure>, Option<Box<Verification>>) {
    let (plan, Some(verifier)) = (worker.plan, worker.verifier.take()) else { return (failure, None) };
    let mut verifier = verifier.borrow_mut();
    verifier.finish();
    let is_read_back =
        plan.reads_back.is_none() && plan.verify.as_ref().is_some_and(|verify| verify.reads_back);
    // What is read back must come from the target, so nothing may stay in the page cache alone.
    let sync = || worker.files.iter().try_for_each(OpenTarget::sync).err().map(failure_of_sync);
    let failure = failure.or(is_read_back.then(sync).flatten()).or_else(|| failure_of(&verifier, plan));
    let found = verifier.checks().then(|| Box::new(verifier.found().clone()));
    verifier.save_last();
    if is_read_back {
        shared.among_jobs.handover.give(plan.id, verifier.take_writer());
    }
    (failure, found)
}

fn failure_of_sync(e: rustix::io::Errno) -> JobFailure {
    failure(e.raw_os_error(), format!("fsync before what was written is read back: {e}"))
}

/// Waits until `startdelay` is over, or until a request to stop.
fn sleep_until(end: Instant, stop: &Stop) {
    while stop.requested().is_none() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(LOOK));
    }
}

/// The same in virtual time, whose origin is the start of the run, with looks at the same distance.
fn pass_until(delay: Duration, clock: &Clock, stop: &Stop) {
    let ticks = |time: Duration| clock.ticks(time.as_nanos() as u64);
    let end = ticks(delay);
    while stop.requested().is_none() && clock.now() < end {
        clock.advance_to(end.min(clock.now() + ticks(LOOK)));
    }
}
