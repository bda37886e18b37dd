//! fio's own order of calls (`compat=fio`), to compare the two tools.
//!
//! fio submits when `iodepth_batch` I/Os are queued, takes nothing before its
//! queue is full, then looks for completions until `iodepth_low` are in flight,
//! and at the end of a job waits for all that is left in one look. Each look
//! submits first what is queued, but does not set the count back that the next
//! batch is measured by. Slower than natural batching, and apart from it: the
//! usual loop knows nothing of this one.

use super::Worker;
use super::async_loop::count_submit;
use super::failure;
use super::queue::Queue;
use super::reap::reap;
use crate::engine::AsyncEngine;
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;
use fathom_results::JobFailure;

/// What every result of such a job says.
pub const LABEL: (&str, &str) = ("compat=fio", "submits and reaps as fio does");

/// fio's limits, and where it is between them.
#[derive(Debug)]
pub struct FioOrder {
    /// I/Os of one submit call.
    batch: u32,
    /// Completions of one look, at least; 0 looks again and again for one.
    min: u32,
    /// Completions of one look, at most.
    max: u32,
    /// A full queue is emptied to this many in flight.
    low: u32,
    /// Looks after every I/O, full or not.
    polls: bool,
    /// Queued towards the next batch.
    queued: u32,
    /// On the way from full to low.
    is_emptying: bool,
}

/// What a step waits for.
struct Look {
    /// Completions, at least; 0 polls for one.
    min: u32,
    /// Completions, at most.
    max: u32,
    /// How long, ns.
    left_ns: u64,
}

impl FioOrder {
    /// Of a job with these limits.
    pub fn of(plan: &PlannedJob) -> FioOrder {
        let depth = &plan.depth;
        let min = depth.complete_min.unwrap_or(1);
        // A minimum of 0 and no maximum is what fio calls polling.
        let max_is_given = plan.job.get(&opt::IODEPTH_BATCH_COMPLETE_MAX).is_some_and(|max| max > 0);
        FioOrder {
            batch: depth.submit_batch.unwrap_or(1),
            min,
            max: depth.complete_max.unwrap_or(1).max(min),
            low: depth.low.unwrap_or(depth.asked),
            polls: min == 0 && !max_is_given,
            queued: 0,
            is_emptying: false,
        }
    }

    /// One turn: I/Os into the queue up to a batch, and a look where fio would
    /// look. Returns the stamp of its end; `None` when the job has run dry.
    pub fn step<E: AsyncEngine, const PACED: bool>(
        &mut self,
        worker: &mut Worker<'_>,
        engine: &mut E,
        queue: &mut Queue,
    ) -> Result<Option<u64>, JobFailure> {
        let taken = worker.recorder.clock.now();
        let waits_for_pace = !self.is_emptying && self.fill::<E, PACED>(worker, engine, queue, taken);
        if queue.in_flight == 0 {
            return Ok(if queue.is_dry { None } else { Some(worker.rest()) });
        }
        if !queue.odd.is_empty() {
            return settle::<E, PACED>(worker, engine, queue).map(Some);
        }
        let is_busy = queue.held.is_some();
        if self.queued >= self.batch || is_busy || waits_for_pace {
            commit(worker, engine, queue, taken)?;
            self.queued = 0;
        }
        let is_full = queue.free.is_empty();
        self.is_emptying |= is_full;
        if !(self.is_emptying || self.polls || is_busy || queue.is_dry || waits_for_pace) {
            return Ok(Some(taken));
        }
        commit(worker, engine, queue, taken)?;
        let wanted = self.look_for::<PACED>(worker, queue, waits_for_pace, taken);
        let seen = look::<E, PACED>(worker, engine, queue, &wanted)?;
        self.is_emptying &= queue.in_flight > self.low;
        Ok(Some(seen))
    }

    /// Fills the queue up to the next batch; true where only its pace keeps a
    /// job from that.
    fn fill<E: AsyncEngine, const PACED: bool>(
        &mut self,
        worker: &mut Worker<'_>,
        engine: &mut E,
        queue: &mut Queue,
        taken: u64,
    ) -> bool {
        let room = if self.polls { 1 } else { self.batch - self.queued };
        queue.batching.submit_max = room;
        let room = room.min(queue.free.count() as u32);
        queue.fill::<E, PACED>(worker, engine, taken);
        self.queued += queue.staged;
        PACED && queue.staged < room && !queue.is_dry && queue.held.is_none() && queue.odd.is_empty()
    }

    /// How long and for how many to look now.
    fn look_for<const PACED: bool>(
        &self,
        worker: &mut Worker<'_>,
        queue: &Queue,
        waits_for_pace: bool,
        now: u64,
    ) -> Look {
        let (in_flight, left_ns) = (queue.in_flight, worker.recorder.time_left_ns(now));
        if queue.is_dry {
            // The end of the job: all that is left, in one look.
            return Look { min: in_flight, max: in_flight, left_ns };
        }
        let min = self.min.min(in_flight);
        let (min, left_ns) =
            if waits_for_pace { worker.waiting(min, left_ns, in_flight, now) } else { (min, left_ns) };
        Look { min, max: self.max.min(in_flight).max(min).max(1), left_ns }
    }
}

/// Gives the engine what is staged; nothing where nothing is.
pub(super) fn commit<E: AsyncEngine>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
    taken: u64,
) -> Result<(), JobFailure> {
    if queue.staged == 0 {
        return Ok(());
    }
    let submitted = worker.recorder.clock.now();
    let taken = if worker.payload.is_costly() { submitted } else { taken };
    queue.batches.close(queue.staged, taken, submitted);
    engine.commit().map_err(|e| {
        failure(e.raw_os_error().unwrap_or(0), format!("submitting {} I/Os: {e}", queue.staged))
    })?;
    count_submit(worker, queue);
    Ok(())
}

/// Records what was done on the spot, and takes nothing else.
fn settle<E: AsyncEngine, const PACED: bool>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
) -> Result<u64, JobFailure> {
    let clock = worker.recorder.clock;
    count_submit(worker, queue);
    queue.batching.reap_max = 0;
    reap::<E, PACED>(worker, engine, queue, &clock)
}

/// Looks until there are enough completions, or the time is over, and takes
/// them.
fn look<E: AsyncEngine, const PACED: bool>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
    wanted: &Look,
) -> Result<u64, JobFailure> {
    let clock = worker.recorder.clock;
    let (start, mut left_ns) = (clock.now(), wanted.left_ns);
    while engine.available() < wanted.min.max(1) as usize {
        engine.collect(wanted.min, wanted.max, left_ns).map_err(|e| {
            failure(e.raw_os_error().unwrap_or(0), format!("waiting for I/O in flight: {e}"))
        })?;
        left_ns = wanted.left_ns.saturating_sub(clock.nanos(clock.now().saturating_sub(start)));
        if left_ns == 0 || worker.asked_to_stop().is_some() {
            break;
        }
    }
    queue.batching.reap_max = wanted.max as usize;
    reap::<E, PACED>(worker, engine, queue, &clock)
}
