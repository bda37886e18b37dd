//! fio's own order of calls (`compat=fio`), to compare the two tools.
//!
//! fio submits when `iodepth_batch` I/Os are queued. It reaps nothing before its
//! queue is full, and then looks for completions until `iodepth_low` are in flight.
//! At the end of a job it waits for all that is left in one look. Each look
//! first submits what is queued, but does not reset the count from which the next
//! batch follows. This order is slower than natural batching. It is separate code:
//! the usual loop contains nothing of it.

#[cfg(test)]
mod tests;

use super::async_loop::{count_submit, turn_clock, turn_clock_if_past};
use super::queue::Queue;
use super::reap::{take, takeable};
use super::{Worker, failure};
use crate::engine::AsyncEngine;
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;
use fathom_results::{EndedBy, JobFailure};
use std::io;

/// The note in every result of such a job.
pub const LABEL: (&str, &str) = ("compat=fio", "submits and reaps as fio does");

/// fio's limits, and the state of the queue between them.
#[derive(Debug)]
pub struct FioOrder {
    /// I/Os in one submit call.
    batch: u32,
    /// The least number of completions of one look; with 0 a look polls for one.
    min: u32,
    /// The largest number of completions of one look.
    max: u32,
    /// After the queue was full, it is emptied to this many I/Os in flight.
    low: u32,
    /// Looks after every I/O, whether the queue is full or not.
    polls: bool,
    /// I/Os queued for the next batch.
    queued: u32,
    /// The queue was full, and is being emptied to `low`.
    is_emptying: bool,
    /// Only the pace prevents it from filling the queue now.
    is_held_back: bool,
    /// The next I/O waits until nothing is in flight on the file that is to be replaced.
    waits_for_file: bool,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    /// The stamp of its end.
    reaped_at: u64,
    /// The rule that ends the job, if one does.
    rule: Option<EndedBy>,
}

impl Step {
    fn at(reaped_at: u64) -> Step {
        Step { reaped_at, rule: None }
    }
}

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
        let Some(Step { reaped_at, rule }) = order.step::<E, PACED>(worker, engine, queue)? else {
            if worker.source.is_waiting() {
                queue.is_dry = false;
                continue;
            }
            return worker.ran_dry();
        };
        if let Some(rule) = rule {
            return Ok(rule);
        }
        if reaped_at >= worker.recorder.next_stamp()
            && let Some(rule) = turn_clock(worker, engine, queue, reaped_at)?
        {
            return Ok(rule);
        }
    }
}

impl FioOrder {
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

    /// Queues I/Os up to a batch, and looks where fio would look. Afterwards the engine
    /// has all that is staged. Returns `None` when the source has no more I/Os.
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
        let events = self.next_events(worker, queue, taken);
        events.wait(worker, engine).map_err(|e| {
            failure(e.raw_os_error().unwrap_or(0), format!("waiting for {} I/Os: {e}", events.need))
        })?;
        queue.batching.reap_max = events.max as usize;
        let step = reap_in_window::<E, PACED>(worker, engine, queue)?;
        self.is_emptying &= queue.in_flight > self.low;
        Ok(Some(step))
    }

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

    /// Does fio look for completions now? An I/O that must be done at once
    /// waits for a look too.
    fn looks(&self, queue: &Queue) -> bool {
        self.is_emptying
            || self.polls
            || self.is_held_back
            || self.waits_for_file
            || queue.is_dry
            || queue.held.is_some()
    }

    /// The next look: for how many completions, and how long.
    fn next_events(&self, worker: &mut Worker<'_>, queue: &Queue, now: u64) -> GetEvents {
        let left_ns = worker.recorder.time_left_ns(now);
        if queue.is_dry {
            return self.last_events(queue, left_ns);
        }
        let need = self.min.clamp(1, queue.in_flight);
        let wait = self.min.min(need);
        let (wait, left_ns) = match self.is_held_back {
            true => worker.waiting(wait, left_ns, queue.in_flight, now),
            false => (wait, left_ns),
        };
        GetEvents { need, max: self.max.max(need), wait, left_ns }
    }

    /// The end of a job: all that is in flight, in one look.
    pub(super) fn last_events(&self, queue: &Queue, left_ns: u64) -> GetEvents {
        let need = queue.in_flight;
        GetEvents { need, max: need, wait: if self.min == 0 { 0 } else { need }, left_ns }
    }
}

/// Submits what is staged, if anything is.
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

/// Records what was done at once, and takes nothing else.
fn settle<E: AsyncEngine, const PACED: bool>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
) -> Result<Step, JobFailure> {
    count_submit(worker, queue);
    queue.batching.reap_max = 0;
    reap_in_window::<E, PACED>(worker, engine, queue)
}

/// Takes what is complete into the window that it belongs to: the boundary is
/// passed first, as in the usual loop.
fn reap_in_window<E: AsyncEngine, const PACED: bool>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
) -> Result<Step, JobFailure> {
    let (count, reaped_at) = takeable(engine, queue, &worker.recorder.clock);
    if PACED {
        worker.pacer.woke(reaped_at);
    }
    let rule = turn_clock_if_past(worker, engine, queue, reaped_at)?;
    take::<E, PACED>(worker, engine, queue, count, reaped_at)?;
    Ok(Step { reaped_at, rule })
}

/// One call of fio's `getevents`.
#[derive(Debug)]
pub(super) struct GetEvents {
    pub need: u32,
    pub max: u32,
    /// Completions that each call waits for: all that are needed, or none.
    pub wait: u32,
    /// How long to wait, ns.
    pub left_ns: u64,
}

impl GetEvents {
    /// Waits until there are enough completions, its time is over, or there is a
    /// request to stop.
    pub fn wait<E: AsyncEngine>(&self, worker: &mut Worker<'_>, engine: &mut E) -> io::Result<()> {
        let clock = worker.recorder.clock;
        let (start, mut left_ns) = (clock.now(), self.left_ns);
        while engine.available() < self.need as usize {
            worker.lend(|| engine.collect(self.wait, self.max, left_ns))?;
            left_ns = self.left_ns.saturating_sub(clock.nanos(clock.now().saturating_sub(start)));
            if left_ns == 0 || worker.asked_to_stop().is_some() {
                break;
            }
        }
        Ok(())
    }
}
