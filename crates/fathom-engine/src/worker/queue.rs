//! The queue of a worker: its slots, and what is in them.

use super::Worker;
use super::batching::Batching;
use super::free::FreeSlots;
use crate::clock::Clock;
use crate::desc::{Desc, Op};
use crate::engine::{AsyncEngine, Staged};
use fathom_job::plan::Depth;

/// One I/O in flight.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// What it does.
    pub desc: Desc,
    /// Stamp before its submit call.
    pub submitted: u64,
    /// Ticks between taking its descriptor and that stamp.
    pub lead: u64,
}

/// The slots and what is in flight. Every list has its final capacity from
/// the start.
#[derive(Debug)]
pub struct Queue {
    /// By slot number.
    pub slots: Vec<Slot>,
    /// Slots without an I/O.
    pub free: FreeSlots,
    /// Staged since the last submit call.
    pub staged: Vec<u32>,
    /// Complete, but no plain data; not yet settled.
    pub odd: Vec<(u32, i32)>,
    /// Submitted or staged.
    pub in_flight: u32,
    /// Batch limits.
    pub batching: Batching,
    /// I/Os submitted before this stamp belong to the ramp and count nowhere.
    pub floor: u64,
    /// The source has run dry.
    pub is_dry: bool,
    /// Waits until the I/Os before it are submitted.
    pub held: Option<Desc>,
    /// Was full, and is not filled before its low mark is reached.
    pub is_draining_to_low: bool,
}

impl Queue {
    /// An empty queue of `depth` slots.
    pub fn new(depth: u32, plan: &Depth) -> Queue {
        let empty = Slot { desc: Desc::EMPTY, submitted: 0, lead: 0 };
        Queue {
            slots: vec![empty; depth as usize],
            free: FreeSlots::all(depth),
            staged: Vec::with_capacity(depth as usize),
            odd: Vec::with_capacity(depth as usize),
            in_flight: 0,
            batching: Batching::of(plan),
            floor: 0,
            is_dry: false,
            held: None,
            is_draining_to_low: false,
        }
    }

    /// Fills free slots from the source, as far as the batch limits let it.
    #[inline(always)]
    pub fn fill<E: AsyncEngine>(&mut self, worker: &mut Worker<'_>, engine: &mut E) {
        if self.is_dry || self.is_draining_to_low {
            return;
        }
        self.fill_batch(worker, engine);
        self.is_draining_to_low = self.batching.low.is_some() && self.free.is_empty();
    }

    #[inline(always)]
    fn fill_batch<E: AsyncEngine>(&mut self, worker: &mut Worker<'_>, engine: &mut E) {
        let mut room = self.batching.submit_max;
        while room > 0
            && let Some(slot) = self.free.next()
        {
            let Some(desc) = self.held.take().or_else(|| worker.next_desc()) else {
                self.is_dry = true;
                return;
            };
            if !self.staged.is_empty() && !matches!(desc.op, Op::Read | Op::Write) {
                // It may be done on the spot: what was taken before it is
                // submitted first.
                self.held = Some(desc);
                return;
            }
            self.free.take();
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
                    self.odd.push((slot, result));
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

    /// Gives the staged I/Os their stamps. An I/O that the kernel did not take
    /// in this call keeps them: its wait for a later call is latency too.
    #[inline(always)]
    pub fn stamp_staged(&mut self, taken: u64, submitted: u64) {
        let lead = submitted.saturating_sub(taken);
        for &slot in &self.staged {
            let place = &mut self.slots[slot as usize];
            (place.submitted, place.lead) = (submitted, lead);
        }
    }

    /// Completions to wait for in the coming submit call.
    #[inline(always)]
    pub fn wait_for(&self) -> u32 {
        let may_fill_more = !self.is_dry && !self.free.is_empty() && !self.is_draining_to_low;
        if !self.odd.is_empty() || self.held.is_some() || (self.batching.fills_first && may_fill_more) {
            return 0;
        }
        self.batching.wait_min.min(self.in_flight)
    }

    /// The ramp ended at `now`: the job begins anew, and what is in flight is
    /// not part of it.
    pub fn restart(&mut self, now: u64) {
        (self.floor, self.held, self.is_dry) = (now, None, false);
    }

    /// So many have left the queue.
    #[inline(always)]
    pub fn left(&mut self, count: usize) {
        self.in_flight -= count as u32;
        if self.is_draining_to_low {
            self.is_draining_to_low = self.batching.low.is_some_and(|low| self.in_flight > low);
        }
    }
}
