//! The loop of queued engines: fill, submit and wait in one call, reap all.
//!
//! Natural batching: every free slot is filled, one call submits them and
//! waits for a single completion, and everything that is there by then is
//! reaped and resubmitted together. The batch grows with the load by itself
//! and no completion is held back. A job that names its batches
//! (`iodepth_batch`, `iodepth_batch_complete_min/max`, `iodepth_low`) gets
//! exactly those.
//!
//! Three stamps a turn: before filling, before the submit call, after the
//! completions were seen. All I/Os of one call share them.

use super::errors::{Judgement, describe};
use super::recorder::Turn;
use super::sync_loop::{could_not_open, stopped_by};
use super::{Worker, WorkerEnd, failure};
use crate::clock::Clock;
use crate::desc::{Desc, Op};
use crate::engine::{AsyncEngine, Staged};
use crate::tally::batch_class;
use fathom_job::plan::Depth;
use fathom_results::{EndedBy, JobFailure};

/// Runs a worker with the engine until it ends.
pub fn run<E: AsyncEngine>(worker: &mut Worker<'_>) -> WorkerEnd {
    let mut engine = match E::open(&worker.context()) {
        Ok(engine) => engine,
        Err(e) => return could_not_open(worker, e),
    };
    let mut queue = Queue::new(worker.depth, &worker.plan.depth);
    worker.start();
    let end = drive(worker, &mut engine, &mut queue);
    let drained = drain(worker, &mut engine, &mut queue);
    let (ended_by, failure) = match end.and_then(|rule| drained.map(|()| rule)) {
        Ok(rule) => (rule, None),
        Err(failure) => (EndedBy::Error, Some(failure)),
    };
    WorkerEnd { ended_by, failure, notes: engine.notes() }
}

/// One I/O in flight.
#[derive(Clone, Copy)]
struct Slot {
    desc: Desc,
    /// Stamp before its submit call.
    submitted: u64,
    /// Ticks between taking its descriptor and that stamp.
    lead: u32,
}

/// The slots and what is in flight.
struct Queue {
    slots: Vec<Slot>,
    /// Free slots; the last used is used next, while its buffer is warm.
    free: Vec<u32>,
    staged: Vec<u32>,
    /// Done in `stage`, not yet recorded.
    done: Vec<(u32, i32)>,
    /// Submitted or staged.
    in_flight: u32,
    batching: Batching,
    /// The source has run dry.
    is_dry: bool,
    is_draining_to_low: bool,
}

/// Batch limits, with natural batching's where the job names none.
#[derive(Clone, Copy)]
struct Batching {
    submit_max: u32,
    wait_min: u32,
    reap_max: usize,
    low: u32,
    /// fio's order: fill the queue batch by batch before waiting.
    fills_first: bool,
}

impl Batching {
    fn of(depth: &Depth) -> Batching {
        let reap_max = match (depth.complete_max, depth.complete_min) {
            (Some(max), _) | (None, Some(max)) if max > 0 => max as usize,
            _ => usize::MAX,
        };
        Batching {
            submit_max: depth.submit_batch.filter(|&n| n > 0).unwrap_or(u32::MAX),
            wait_min: depth.complete_min.unwrap_or(1),
            reap_max,
            low: depth.low.unwrap_or(depth.reachable).min(depth.reachable),
            fills_first: depth.submit_batch.is_some(),
        }
    }
}

/// How long I/O may take to end after a job's last submit before the job is
/// given up, ns.
const DRAIN_NS: u64 = 30_000_000_000;

impl Queue {
    fn new(depth: u32, plan: &Depth) -> Queue {
        let empty = Slot { desc: Desc::EMPTY, submitted: 0, lead: 0 };
        Queue {
            slots: vec![empty; depth as usize],
            free: (0..depth).rev().collect(),
            staged: Vec::with_capacity(depth as usize),
            done: Vec::with_capacity(depth as usize),
            in_flight: 0,
            batching: Batching::of(plan),
            is_dry: false,
            is_draining_to_low: false,
        }
    }

    /// Fills free slots from the source.
    #[inline(always)]
    fn fill<E: AsyncEngine>(&mut self, worker: &mut Worker<'_>, engine: &mut E) {
        let mut room = self.batching.submit_max;
        while room > 0 && !self.free.is_empty() {
            let Some(desc) = worker.next_desc() else {
                self.is_dry = true;
                return;
            };
            let Some(slot) = self.free.pop() else { return };
            let buffer = worker.buffers.slot(slot);
            if desc.op == Op::Write {
                worker.payload.prepare(desc.offset, worker.buffers.slot_mut(slot, desc.len as usize));
            }
            self.slots[slot as usize].desc = desc;
            if desc.op.direction().is_none() || desc.op == Op::Trim {
                self.stamp_inline(slot, &worker.recorder.clock);
            }
            self.in_flight += 1;
            match engine.stage(slot, &desc, buffer) {
                Staged::Queued => self.staged.push(slot),
                Staged::Done(result) => {
                    // What is done on the spot is recorded before anything
                    // else is taken, so that its latency is its own.
                    self.done.push((slot, result));
                    return;
                }
            }
            room -= 1;
        }
    }

    /// What may be done on the spot is timed from here.
    #[cold]
    fn stamp_inline(&mut self, slot: u32, clock: &Clock) {
        let place = &mut self.slots[slot as usize];
        (place.submitted, place.lead) = (clock.now(), 0);
    }

    /// Gives the staged I/Os their stamps.
    #[inline(always)]
    fn stamp_staged(&mut self, taken: u64, submitted: u64) {
        let lead = submitted.saturating_sub(taken).min(u64::from(u32::MAX)) as u32;
        for &slot in &self.staged {
            let place = &mut self.slots[slot as usize];
            (place.submitted, place.lead) = (submitted, lead);
        }
    }

    /// Completions to wait for in the coming submit call.
    #[inline(always)]
    fn wait_for(&self) -> u32 {
        let may_fill_more = !self.is_dry && !self.free.is_empty() && !self.is_draining_to_low;
        if !self.done.is_empty() || (self.batching.fills_first && may_fill_more) {
            return 0;
        }
        self.batching.wait_min.min(self.in_flight)
    }
}

fn drive<E: AsyncEngine>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
) -> Result<EndedBy, JobFailure> {
    let clock = worker.recorder.clock;
    loop {
        if let Some(reason) = worker.stop.requested() {
            return Ok(stopped_by(reason));
        }
        let taken = clock.now();
        if !queue.is_dry && !queue.is_draining_to_low {
            queue.fill(worker, engine);
        }
        if queue.in_flight == 0 {
            return Ok(worker.ran_dry());
        }
        let seen = turn(worker, engine, queue, taken)?;
        if seen >= worker.recorder.next_stamp() {
            match worker.recorder.turn(seen) {
                Turn::Nothing => {}
                Turn::RampOver => worker.restart(),
                Turn::TimeOver => return Ok(EndedBy::Time),
            }
        }
    }
}

/// Submits, waits, reaps, records; returns the stamp of the reap.
#[inline(always)]
fn turn<E: AsyncEngine>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
    taken: u64,
) -> Result<u64, JobFailure> {
    let clock = worker.recorder.clock;
    let submitted = clock.now();
    queue.stamp_staged(taken, submitted);
    let wait = queue.wait_for();
    let left_ns = worker.recorder.time_left_ns(submitted);
    engine.submit(wait, left_ns).map_err(|e| {
        failure(e.raw_os_error().unwrap_or(0), format!("submitting {} I/Os: {e}", queue.staged.len()))
    })?;
    count_submit(worker, queue);
    let seen = clock.now_ordered();
    reap(worker, engine, queue, seen)?;
    Ok(seen)
}

#[inline(always)]
fn count_submit(worker: &mut Worker<'_>, queue: &mut Queue) {
    let batch = queue.staged.len();
    if batch > 0 {
        let tally = worker.recorder.tally();
        tally.submit[batch_class(batch)] += 1;
        tally.depth[queue.in_flight as usize] += batch as u64;
        queue.staged.clear();
    }
}

/// Takes what is complete.
#[inline(always)]
fn reap<E: AsyncEngine>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
    seen: u64,
) -> Result<(), JobFailure> {
    let Queue { slots, free, done, in_flight, batching, .. } = queue;
    let recorder = &mut worker.recorder;
    let mut odd: Option<(u32, i32)> = None;
    let mut odds: Vec<(u32, i32)> = Vec::new();
    let reaped = engine.reap(batching.reap_max, |slot, result| {
        let place = &slots[slot as usize];
        if result > 0 {
            recorder.add(&place.desc, result as u32, place.submitted, place.lead, seen);
            free.push(slot);
        } else if let Some(first) = odd.replace((slot, result)) {
            odds.push(first);
        }
    });
    recorder.flush_run(seen);
    if reaped > 0 {
        recorder.tally().complete[batch_class(reaped)] += 1;
        *in_flight -= reaped as u32;
    }
    if odd.is_some() || !done.is_empty() {
        let count = done.len() as u32;
        odds.extend(odd);
        odds.append(done);
        *in_flight -= count;
        for (slot, result) in odds {
            settle(worker, queue, slot, result, seen)?;
        }
    }
    if queue.batching.low < worker.depth {
        queue.is_draining_to_low =
            queue.free.is_empty() || (queue.is_draining_to_low && queue.in_flight > queue.batching.low);
    }
    Ok(())
}

/// Completions that are not plain data: the fsync family, trims done on the
/// spot, errors.
#[cold]
fn settle(
    worker: &mut Worker<'_>,
    queue: &mut Queue,
    slot: u32,
    result: i32,
    seen: u64,
) -> Result<(), JobFailure> {
    let place = queue.slots[slot as usize];
    queue.free.push(slot);
    match (result, place.desc.op.direction()) {
        (1.., _) => {
            worker.recorder.add(&place.desc, result as u32, place.submitted, place.lead, seen);
            worker.recorder.flush_run(seen);
        }
        (0, None) => worker.recorder.add_sync(place.submitted, seen),
        _ => match worker.tolerance.judge(place.desc.op, -result) {
            Judgement::Ignore => {}
            Judgement::Count => worker.recorder.add_error(place.desc.op, seen),
            Judgement::Fatal => return Err(describe(worker.plan, &place.desc, result)),
        },
    }
    Ok(())
}

/// Waits for what is in flight; it was started in the window and counts. A
/// target that never answers is given up after [`DRAIN_NS`].
fn drain<E: AsyncEngine>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
) -> Result<(), JobFailure> {
    let clock = worker.recorder.clock;
    let start = clock.now();
    let mut first_error = None;
    queue.is_dry = true;
    while queue.in_flight > 0 {
        if let Err(e) = engine.submit(1, WAIT_NS) {
            return Err(failure(e.raw_os_error().unwrap_or(0), format!("waiting for I/O in flight: {e}")));
        }
        let seen = clock.now_ordered();
        if let Err(e) = reap(worker, engine, queue, seen) {
            first_error.get_or_insert(e);
        }
        if clock.nanos(seen.saturating_sub(start)) > DRAIN_NS {
            let message =
                format!("{} I/Os did not complete within 30 s of the end of the job", queue.in_flight);
            return Err(failure(libc::ETIMEDOUT, message));
        }
    }
    first_error.map_or(Ok(()), Err)
}

/// How long one wait of the drain lasts, ns.
const WAIT_NS: u64 = 100_000_000;
