//! The loop of queued engines: fill, submit and wait in one call, reap all.
//!
//! Three stamps a turn: before filling, before the submit call, after the
//! completions were seen. All I/Os of one call share them.

use super::drain::{DRAIN_NS, drain};
use super::errors::{Judgement, describe};
use super::queue::Queue;
use super::recorder::Turn;
use super::{Worker, WorkerEnd, failure};
use crate::engine::AsyncEngine;
use crate::tally::batch_class;
use fathom_results::{EndedBy, JobFailure};

/// Runs a worker with the engine until it ends.
pub fn run<E: AsyncEngine>(worker: &mut Worker<'_>) -> WorkerEnd {
    run_with_patience::<E>(worker, DRAIN_NS)
}

/// As [`run`], giving up I/O that has not ended `patience_ns` after the job.
pub(super) fn run_with_patience<E: AsyncEngine>(worker: &mut Worker<'_>, patience_ns: u64) -> WorkerEnd {
    let mut engine = match E::open(&worker.context()) {
        Ok(engine) => engine,
        Err(e) => return WorkerEnd::unusable(e),
    };
    let mut queue = Queue::new(worker.depth, &worker.plan.depth);
    worker.start();
    let end = drive(worker, &mut engine, &mut queue);
    let drained = drain(worker, &mut engine, &mut queue, patience_ns);
    let (ended_by, failure) = match end.and_then(|rule| drained.map(|()| rule)) {
        Ok(rule) => (rule, None),
        Err(failure) => (EndedBy::Error, Some(failure)),
    };
    let notes = engine.notes();
    if queue.in_flight > 0 {
        // The kernel may still write into the buffers, and closing the engine
        // would wait for I/O that never ends.
        worker.buffers.leave_mapped();
        std::mem::forget(engine);
    }
    WorkerEnd { ended_by, failure, notes }
}

fn drive<E: AsyncEngine>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
) -> Result<EndedBy, JobFailure> {
    let clock = worker.recorder.clock;
    loop {
        if let Some(rule) = worker.asked_to_stop() {
            return Ok(rule);
        }
        let taken = clock.now();
        queue.fill(worker, engine);
        if queue.in_flight == 0 {
            return Ok(worker.ran_dry());
        }
        let seen = turn(worker, engine, queue, taken)?;
        if seen >= worker.recorder.next_stamp() {
            match worker.turn(seen) {
                Turn::Nothing => {}
                Turn::RampOver => queue.restart(seen),
                Turn::TimeOver => return Ok(EndedBy::Time),
            }
            check_progress(worker, engine, seen)?;
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
    // Making the data is no part of the I/O: where that takes time, the
    // descriptor counts as taken when its data was ready, as in fio.
    let taken = if worker.payload.is_costly() { submitted } else { taken };
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
    if !queue.odd.is_empty() {
        // Done on the spot: one at a time, whatever the depth.
        let tally = worker.recorder.tally();
        tally.submit[batch_class(1)] += queue.odd.len() as u64;
        tally.complete[batch_class(1)] += queue.odd.len() as u64;
        tally.depth[1] += queue.odd.len() as u64;
    }
}

/// Takes what is complete.
#[inline(always)]
pub(super) fn reap<E: AsyncEngine>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
    seen: u64,
) -> Result<(), JobFailure> {
    let recorder = &mut worker.recorder;
    let done_on_the_spot = queue.odd.len();
    let Queue { slots, free, odd, batching, floor, .. } = queue;
    let reaped = engine.reap(batching.reap_max, |slot, result| {
        if result > 0 {
            let place = &slots[slot as usize];
            if place.submitted >= *floor {
                recorder.add(&place.desc, result as u32, place.submitted, place.lead, seen);
            }
            free.give(slot);
        } else {
            odd.push((slot, result));
        }
    });
    recorder.end_row(seen);
    if reaped > 0 {
        recorder.tally().complete[batch_class(reaped)] += 1;
    }
    queue.left(reaped + done_on_the_spot);
    if queue.odd.is_empty() { Ok(()) } else { settle_all(worker, queue, seen) }
}

/// Completions that are not plain data: the fsync family, trims done on the
/// spot, errors. All are settled; the first fatal one ends the job.
#[cold]
fn settle_all(worker: &mut Worker<'_>, queue: &mut Queue, seen: u64) -> Result<(), JobFailure> {
    let mut outcome = Ok(());
    for at in 0..queue.odd.len() {
        let (slot, result) = queue.odd[at];
        let one = settle(worker, queue, slot, result, seen);
        outcome = outcome.and(one);
    }
    queue.odd.clear();
    outcome
}

fn settle(
    worker: &mut Worker<'_>,
    queue: &mut Queue,
    slot: u32,
    result: i32,
    seen: u64,
) -> Result<(), JobFailure> {
    let place = queue.slots[slot as usize];
    queue.free.give(slot);
    match (result, place.desc.op.direction()) {
        (1.., _) | (0, None) if place.submitted < queue.floor => {}
        (1.., _) => {
            worker.recorder.add(&place.desc, result as u32, place.submitted, place.lead, seen);
            worker.recorder.end_row(seen);
        }
        (0, None) => worker.recorder.add_sync(place.submitted, seen),
        _ => match worker.tolerance.judge(place.desc.op, -result) {
            Judgement::Ignore => {}
            Judgement::Count => worker.count_error(&place.desc, result, seen),
            Judgement::Fatal => return Err(describe(worker.plan, &place.desc, result)),
        },
    }
    Ok(())
}

/// Ends a job whose engine knows that the next completion will never come.
#[cold]
fn check_progress<E: AsyncEngine>(worker: &Worker<'_>, engine: &E, now: u64) -> Result<(), JobFailure> {
    let idle_ns = worker.recorder.idle_ns(now);
    engine.gives_up(idle_ns).map_or(Ok(()), |why| {
        let message = format!("no I/O completed for {} s: {why}", idle_ns / 1_000_000_000);
        Err(failure(libc::ETIMEDOUT, message))
    })
}
