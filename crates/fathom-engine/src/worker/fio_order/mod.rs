//! fio's own order of calls (`compat=fio`), to compare the two tools.
//!
//! fio submits when `iodepth_batch` I/Os are queued, takes nothing before its
//! queue is full, then looks for completions until `iodepth_low` are in flight,
//! and at the end of a job waits for all that is left in one look. Each look
//! submits first what is queued, but does not set back the count that the next
//! batch is measured by. It is slower than natural batching, and apart from it:
//! the usual loop knows nothing of this one.

mod look;
#[cfg(test)]
mod tests;

use super::async_loop::{count_submit, turn_clock, turn_clock_if_past};
use super::queue::Queue;
use super::reap::{look, take};
use super::{Worker, failure};
use crate::engine::AsyncEngine;
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;
use fathom_results::{EndedBy, JobFailure};
use look::Look;

/// What every result of such a job says.
pub const LABEL: (&str, &str) = ("compat=fio", "submits and reaps as fio does");

/// fio's limits, and where it is between them.
#[derive(Debug)]
pub struct FioOrder {
    /// I/Os of one submit call.
    batch: u32,
    /// Completions of one look, at least; 0 polls for one.
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
    /// Only its pace keeps it from filling the queue now.
    is_held_back: bool,
    /// The next I/O waits until nothing is in flight on a file that is done.
    waits_for_file: bool,
}

/// What a step came to.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The stamp of its end.
    seen: u64,
    /// The rule that ends the job, if one does.
    rule: Option<EndedBy>,
}

impl Step {
    fn at(seen: u64) -> Step {
        Step { seen, rule: None }
    }
}

/// Runs a job in fio's order until it ends.
pub fn drive<E: AsyncEngine, const PACED: bool>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
) -> Result<EndedBy, JobFailure> {
    let mut order = FioOrder::of(worker.plan);
    queue.batching.low = None;
    loop {
        if let Some(rule) = worker.asked_to_stop() {
            return Ok(rule);
        }
        let Some(Step { seen, rule }) = order.step::<E, PACED>(worker, engine, queue)? else {
            return worker.ran_dry();
        };
        if let Some(rule) = rule {
            return Ok(rule);
        }
        if seen >= worker.recorder.next_stamp()
            && let Some(rule) = turn_clock(worker, engine, queue, seen)?
        {
            return Ok(rule);
        }
    }
}

impl FioOrder {
    /// Of a job with these limits.
    pub fn of(plan: &PlannedJob) -> FioOrder {
        let depth = &plan.depth;
        let min = depth.complete_min.unwrap_or(1);
        // A minimum of 0 and no maximum is what fio calls polling.
        let has_max = plan.job.get(&opt::IODEPTH_BATCH_COMPLETE_MAX).is_some_and(|max| max > 0);
        FioOrder {
            batch: depth.submit_batch.unwrap_or(1),
            min,
            max: depth.complete_max.unwrap_or(1),
            low: depth.low.unwrap_or(depth.asked),
            polls: min == 0 && !has_max,
            queued: 0,
            is_emptying: false,
            is_held_back: false,
            waits_for_file: false,
        }
    }

    /// I/Os into the queue up to a batch, and a look where fio would look. What
    /// is staged is with the engine afterwards. Returns `None` when the job has run dry.
    fn step<E: AsyncEngine, const PACED: bool>(
        &mut self,
        worker: &mut Worker<'_>,
        engine: &mut E,
        queue: &mut Queue,
    ) -> Result<Option<Step>, JobFailure> {
        let taken = worker.recorder.clock.now();
        if !self.is_emptying {
            self.fill::<E, PACED>(worker, engine, queue, taken);
        }
        if queue.in_flight == 0 {
            return Ok(if queue.is_dry { None } else { Some(Step::at(worker.rest())) });
        }
        if !queue.odd.is_empty() {
            return settle::<E, PACED>(worker, engine, queue).map(Some);
        }
        if self.queued >= self.batch || queue.held.is_some() || self.is_held_back || self.waits_for_file {
            commit(worker, engine, queue, taken)?;
            self.queued = 0;
        }
        self.is_emptying |= queue.free.is_empty();
        if !self.looks(queue) {
            return Ok(Some(Step::at(taken)));
        }
        commit(worker, engine, queue, taken)?;
        let look = self.next_look(worker, queue, taken);
        look.wait(worker, engine).map_err(|e| {
            failure(e.raw_os_error().unwrap_or(0), format!("waiting for {} I/Os: {e}", look.need))
        })?;
        queue.batching.reap_max = look.max as usize;
        let step = reap_in_window::<E, PACED>(worker, engine, queue)?;
        self.is_emptying &= queue.in_flight > self.low;
        Ok(Some(step))
    }

    /// Fills the queue up to the next batch.
    fn fill<E: AsyncEngine, const PACED: bool>(
        &mut self,
        worker: &mut Worker<'_>,
        engine: &mut E,
        queue: &mut Queue,
        now: u64,
    ) {
        queue.batching.submit_max = if self.polls { 1 } else { self.batch - self.queued };
        let room = queue.batching.submit_max.min(queue.free.count() as u32);
        queue.fill::<E, PACED>(worker, engine, now);
        self.queued += queue.staged;
        let is_short = queue.staged < room && queue.odd.is_empty() && queue.held.is_none();
        self.is_held_back = PACED && is_short && !queue.is_dry;
        self.waits_for_file = worker.block.is_empty() && worker.block.held().is_some();
    }

    /// Does fio look for completions now? An I/O that must be done on the spot
    /// waits for a look too.
    fn looks(&self, queue: &Queue) -> bool {
        self.is_emptying
            || self.polls
            || self.is_held_back
            || self.waits_for_file
            || queue.is_dry
            || queue.held.is_some()
    }

    /// For how many, and how long.
    fn next_look(&self, worker: &mut Worker<'_>, queue: &Queue, now: u64) -> Look {
        let left_ns = worker.recorder.time_left_ns(now);
        if queue.is_dry {
            return self.last_look(queue, left_ns);
        }
        let need = self.min.clamp(1, queue.in_flight);
        let wait = self.min.min(need);
        let (wait, left_ns) = match self.is_held_back {
            true => worker.waiting(wait, left_ns, queue.in_flight, now),
            false => (wait, left_ns),
        };
        Look { need, max: self.max.max(need), wait, left_ns }
    }

    /// The end of a job: all that is in flight, in one look.
    pub(super) fn last_look(&self, queue: &Queue, left_ns: u64) -> Look {
        let need = queue.in_flight;
        Look { need, max: need, wait: if self.min == 0 { 0 } else { need }, left_ns }
    }
}

/// Gives the engine what is staged, if anything is.
fn commit<E: AsyncEngine>(
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
    worker.lend(|| engine.commit()).map_err(|e| {
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
) -> Result<Step, JobFailure> {
    count_submit(worker, queue);
    queue.batching.reap_max = 0;
    reap_in_window::<E, PACED>(worker, engine, queue)
}

/// Takes what is complete into the window that it belongs to: the clock is
/// turned first, as in the usual loop.
fn reap_in_window<E: AsyncEngine, const PACED: bool>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
) -> Result<Step, JobFailure> {
    let (count, seen) = look(engine, queue, &worker.recorder.clock);
    let rule = turn_clock_if_past(worker, engine, queue, seen)?;
    take::<E, PACED>(worker, engine, queue, count, seen)?;
    Ok(Step { seen, rule })
}
