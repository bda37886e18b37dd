//! The loop of queued engines: fill, submit and wait in one call, reap all.
//!
//! Each turn takes three stamps: before filling, before the submit call, and after
//! the completions were seen. All I/Os of one call share them. The loop is compiled
//! twice for each engine: with a pace and without.

use super::drain::{DRAIN_NS, abandon, drain, or_abandon};
use super::queue::Queue;
use super::reap::{take, takeable};
use super::recorder::Turn;
use super::{Worker, WorkerEnd, failure, fio_order};
use crate::clock::Clock;
use crate::engine::AsyncEngine;
use crate::tally::batch_class;
use fathom_results::{EndedBy, JobFailure};

pub fn run<E: AsyncEngine>(worker: &mut Worker<'_>) -> WorkerEnd {
    // A simulated drive answers in the end: one that is scaled down takes minutes for a deep queue of large blocks.
    let is_simulated = worker.plan.engine == fathom_job::engine::SIM;
    run_with_patience::<E>(worker, if is_simulated { u64::MAX } else { DRAIN_NS })
}

/// As [`run`]; after the end of the job it gives up what is in flight once nothing
/// has completed for `patience_ns`.
pub(super) fn run_with_patience<E: AsyncEngine>(worker: &mut Worker<'_>, patience_ns: u64) -> WorkerEnd {
    let engine = match E::open(&worker.context()) {
        Ok(engine) => engine,
        Err(e) => return WorkerEnd::unusable(e),
    };
    worker.recorder.take_priorities_from(engine.drawn_priorities());
    let mut queue = Queue::new(worker.depth, &worker.plan.depth);
    let block = worker.buffers.stride();
    if worker.writes && worker.payload.grows_with(block) {
        queue.batching = queue.batching.with_data_made(block);
    }
    if worker.plan.has_neighbours() {
        queue.batching = queue.batching.with_neighbours_apart();
    }
    worker.start();
    let (engine, (end, drained)) = or_abandon(worker, engine, |worker, engine| {
        let end = match (worker.plan.compat_fio, worker.is_paced) {
            (false, false) => drive::<E, false>(worker, engine, &mut queue),
            (false, true) => drive::<E, true>(worker, engine, &mut queue),
            (true, false) => fio_order::drive::<E, false>(worker, engine, &mut queue),
            (true, true) => fio_order::drive::<E, true>(worker, engine, &mut queue),
        };
        worker.end_measure(&end);
        (end, drain(worker, engine, &mut queue, patience_ns))
    });
    worker.recorder.end_usage();
    let kept = worker.recorder.broken_limit().map_or(Ok(()), Err);
    let rule = end.as_ref().map_or(EndedBy::Error, |rule| *rule);
    let ended = worker.tolerance.both(end.map(drop), drained);
    let ended = worker.tolerance.both(ended, kept);
    let (ended_by, failure) = worker.tolerance.ending(ended.map(|()| rule));
    let mut notes = engine.notes();
    notes.extend(worker.habits());
    notes.extend(worker.pacer.notes());
    if queue.in_flight > 0 {
        abandon(worker, engine);
    }
    WorkerEnd { ended_by, failure, notes }
}

fn drive<E: AsyncEngine, const PACED: bool>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
) -> Result<EndedBy, JobFailure> {
    let clock = worker.recorder.clock;
    loop {
        if let Some(rule) = worker.asked_to_stop() {
            return Ok(rule);
        }
        if PACED && worker.block.is_empty() && !queue.is_dry && queue.held.is_none() {
            // Made before the stamp: 64 random arrivals take a microsecond, which is
            // not part of an I/O. A wait must also know the next one.
            queue.is_dry = !queue.refill::<E, true>(worker, engine, clock.now());
        }
        let taken = clock.now();
        queue.fill::<E, PACED>(worker, engine, taken);
        let rule = match queue.in_flight {
            0 if PACED && !queue.is_dry => {
                let now = worker.rest();
                turn_clock_if_due(worker, engine, queue, now)?
            }
            0 if worker.source.is_waiting() => {
                let now = worker.await_others();
                queue.is_dry = false;
                turn_clock_if_due(worker, engine, queue, now)?
            }
            0 => return worker.ran_dry(),
            _ => turn::<E, PACED>(worker, engine, queue, &clock, taken)?,
        };
        if let Some(rule) = rule {
            return Ok(rule);
        }
    }
}

#[inline(always)]
fn turn_clock_if_due<E: AsyncEngine>(
    worker: &mut Worker<'_>,
    engine: &E,
    queue: &mut Queue,
    reaped_at: u64,
) -> Result<Option<EndedBy>, JobFailure> {
    if reaped_at < worker.recorder.next_stamp() {
        return Ok(None);
    }
    turn_clock(worker, engine, queue, reaped_at)
}

/// The same, except that a stamp exactly on the boundary belongs to the window before.
#[inline(always)]
pub(super) fn turn_clock_if_past<E: AsyncEngine>(
    worker: &mut Worker<'_>,
    engine: &E,
    queue: &mut Queue,
    reaped_at: u64,
) -> Result<Option<EndedBy>, JobFailure> {
    if reaped_at <= worker.recorder.next_stamp() {
        return Ok(None);
    }
    turn_clock(worker, engine, queue, reaped_at)
}

/// The recorder's next stamp has passed. Returns the rule that ends the job, if
/// one does.
pub(super) fn turn_clock<E: AsyncEngine>(
    worker: &mut Worker<'_>,
    engine: &E,
    queue: &mut Queue,
    reaped_at: u64,
) -> Result<Option<EndedBy>, JobFailure> {
    worker.recorder.tally().in_flight = queue.in_flight;
    match worker.turn(reaped_at, || queue.carried())? {
        Turn::Nothing => {}
        Turn::RampOver => queue.restart(),
        Turn::TimeOver => return Ok(Some(worker.time_over())),
    }
    check_progress(worker, engine, queue, reaped_at).map(|()| None)
}

/// Submits, waits, reaps, records; returns the rule that ends the job, if one
/// does.
#[inline(always)]
fn turn<E: AsyncEngine, const PACED: bool>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
    clock: &Clock,
    taken: u64,
) -> Result<Option<EndedBy>, JobFailure> {
    let submitted = clock.now();
    if queue.staged > 0 {
        // Making the data is not part of the I/O. Where that takes time, the
        // descriptor counts as taken when its data was ready, as in fio.
        let taken = if worker.payload.is_costly() { submitted } else { taken };
        queue.batches.close(queue.staged, taken, submitted);
    }
    let (mut wait, mut left_ns) = (queue.wait_for(), worker.recorder.time_left_ns(submitted));
    if PACED && queue.may_fill() {
        (wait, left_ns) = worker.waiting(wait, left_ns, queue.in_flight, submitted);
    }
    worker.lend(|| engine.submit(wait, left_ns)).map_err(|e| {
        failure(e.raw_os_error().unwrap_or(0), format!("submitting {} I/Os: {e}", queue.staged))
    })?;
    count_submit(worker, queue);
    // The clock first: what is seen after a boundary belongs to the window
    // after it, and what is seen exactly on it to the window before it.
    let (count, reaped_at) = takeable(engine, queue, clock);
    if PACED {
        worker.pacer.woke(reaped_at);
    }
    let rule = turn_clock_if_past(worker, engine, queue, reaped_at)?;
    take::<E, PACED>(worker, engine, queue, count, reaped_at)?;
    if rule.is_some() {
        return Ok(rule);
    }
    // Either the boundary itself was reached, or an I/O that was taken broke a limit.
    turn_clock_if_due(worker, engine, queue, reaped_at)
}

#[inline(always)]
pub(super) fn count_submit(worker: &mut Worker<'_>, queue: &mut Queue) {
    let batch = queue.staged as usize;
    if batch > 0 {
        let tally = worker.recorder.tally();
        tally.submit[batch_class(batch)] += 1;
        tally.depth[queue.in_flight as usize] += batch as u64;
        queue.staged = 0;
    }
    if !queue.odd.is_empty() {
        // Done at once: one at a time, whatever the depth.
        let tally = worker.recorder.tally();
        tally.submit[batch_class(1)] += queue.odd.len() as u64;
        tally.complete[batch_class(1)] += queue.odd.len() as u64;
        tally.depth[1] += queue.odd.len() as u64;
    }
}

/// Ends a job whose engine knows that no further I/O will ever complete.
#[cold]
fn check_progress<E: AsyncEngine>(
    worker: &Worker<'_>,
    engine: &E,
    queue: &Queue,
    now: u64,
) -> Result<(), JobFailure> {
    if queue.in_flight == 0 {
        return Ok(());
    }
    let idle_ns = worker.recorder.idle_ns(now);
    engine.gives_up(idle_ns).map_or(Ok(()), |why| {
        let message = format!("no I/O completed for {} s: {why}", idle_ns / 1_000_000_000);
        Err(failure(libc::ETIMEDOUT, message))
    })
}
