//! Filling a queue: descriptors into slots, slots into the engine.
//!
//! Jobs with only reads and writes (the usual benchmark) take a loop that
//! knows how many will fit before it begins. Operations that may be done at once,
//! the fsync family and trims, go one by one.

use super::Worker;
use super::file_table::Exchange;
use super::queue::{Begun, IoSlot, Odd, Queue};
use super::reap::RowKey;
use crate::desc::Desc;
use crate::engine::{AsyncEngine, Staged};

impl Queue {
    /// Fills free slots from the source, as far as the batch limits allow it, and
    /// for a `PACED` job its pace at stamp `now`.
    #[inline(always)]
    pub fn fill<E: AsyncEngine, const PACED: bool>(
        &mut self,
        worker: &mut Worker<'_>,
        engine: &mut E,
        now: u64,
    ) {
        if !self.may_fill() {
            return;
        }
        if worker.is_plain {
            self.fill_plain::<E, PACED>(worker, engine, now);
            self.is_draining = self.batching.low.is_some() && self.free.is_empty();
        } else {
            self.fill_each::<E, PACED>(worker, engine, now);
            self.is_draining |= self.batching.low.is_some() && self.free.is_empty();
        }
    }

    /// New descriptors for the worker; false when there is nothing more to do.
    #[inline(always)]
    pub fn refill<E: AsyncEngine, const PACED: bool>(
        &self,
        worker: &mut Worker<'_>,
        engine: &mut E,
        now: u64,
    ) -> bool {
        match worker.file_table {
            None => worker.refill::<PACED>(now),
            Some(_) => self.refill_with_table::<E, PACED>(worker, engine, now),
        }
    }

    #[inline(never)]
    fn refill_with_table<E: AsyncEngine, const PACED: bool>(
        &self,
        worker: &mut Worker<'_>,
        engine: &mut E,
        now: u64,
    ) -> bool {
        let is_busy = |entry: u32| {
            let is_at = |desc: &Desc| desc.file() == entry;
            let held = self.held.as_ref().is_some_and(|(desc, _)| is_at(desc));
            held || self.slots.iter().any(|slot| slot.key != RowKey::FREE && is_at(&slot.desc))
        };
        worker.refill_with_table::<PACED>(
            now,
            Exchange { replace: &mut |by| engine.replace(by), is_busy: &is_busy },
        )
    }

    /// For jobs with only reads and writes.
    #[inline(always)]
    fn fill_plain<E: AsyncEngine, const PACED: bool>(
        &mut self,
        worker: &mut Worker<'_>,
        engine: &mut E,
        now: u64,
    ) {
        let mut room = self.free.count().min(self.batching.submit_max as usize);
        while room > 0 {
            if worker.block.is_empty() && !self.refill::<E, PACED>(worker, engine, now) {
                // With I/Os in flight the loop waits for one of them, and then fills again.
                self.is_dry = PACED || !worker.source.is_blocked();
                return;
            }
            let ready = if PACED { worker.ready(now, self.in_flight) } else { worker.block.left() };
            let count = room.min(ready);
            if count == 0 {
                return;
            }
            if worker.writes {
                self.stage_many::<E, PACED, true>(worker, engine, count);
            } else {
                self.stage_many::<E, PACED, false>(worker, engine, count);
            }
            if PACED {
                worker.pacer.issued(count, now);
            }
            room -= count;
        }
    }

    /// Puts descriptors into the same number of slots. It is a separate function, so
    /// that its variables stay in registers.
    #[inline(never)]
    fn stage_many<E: AsyncEngine, const PACED: bool, const WRITES: bool>(
        &mut self,
        worker: &mut Worker<'_>,
        engine: &mut E,
        count: usize,
    ) {
        let batch = RowKey::of_batch(self.batches.open());
        let Worker { block, payload, buffers, pacer, .. } = worker;
        let (descs, due) = block.take_many(count);
        let free = self.free.take_many(count);
        // Each case has a loop of its own, which is short enough for the registers.
        if WRITES {
            payload.prepare_many(descs, free, buffers);
        }
        if PACED {
            let epoch = pacer.epoch();
            for (&due, &slot) in due.iter().zip(free) {
                pacer.begins(epoch + due);
                self.slots[slot as usize].intended = epoch + due;
            }
        }
        for (desc, &slot) in descs.iter().zip(free) {
            debug_assert!((slot as usize) < self.slots.len());
            // SAFETY: the free list is made of the numbers of the slots, and
            // gets back only such numbers (`take` looks each of them up).
            let place = unsafe { self.slots.get_unchecked_mut(slot as usize) };
            (place.desc, place.key) = (*desc, batch.with(desc));
            engine.stage(slot, desc);
        }
        self.staged += count as u32;
        self.in_flight += count as u32;
    }

    /// For jobs with any operation.
    #[inline(never)]
    fn fill_each<E: AsyncEngine, const PACED: bool>(
        &mut self,
        worker: &mut Worker<'_>,
        engine: &mut E,
        now: u64,
    ) {
        let mut room = self.batching.submit_max;
        while room > 0
            && let Some(slot) = self.free.next()
        {
            let Some((desc, intended)) = self.next_desc::<E, PACED>(worker, engine, now) else { return };
            self.free.take();
            self.in_flight += 1;
            let key = RowKey::new(&desc, self.batches.open());
            self.slots[slot as usize] = IoSlot { desc, key, intended };
            if desc.is_transfer() {
                if desc.is_write() {
                    let Worker { payload, buffers, .. } = worker;
                    payload.prepare(desc.offset, buffers.slot_mut(slot, desc.len() as usize));
                }
                engine.stage(slot, &desc);
                self.staged += 1;
            } else {
                let begun = worker.recorder.clock.now();
                match worker.lend(|| engine.control(slot, &desc)) {
                    Staged::Queued => self.staged += 1,
                    Staged::Done(result) => {
                        // What was done at once is recorded before anything
                        // else is taken, so that its latency includes no other work.
                        self.slots[slot as usize].key = RowKey::FREE;
                        self.odd.push(Odd { slot, result, begun: Begun::At(begun) });
                        return;
                    }
                }
            }
            room -= 1;
        }
    }

    /// The next descriptor that may go now, and its intended start.
    fn next_desc<E: AsyncEngine, const PACED: bool>(
        &mut self,
        worker: &mut Worker<'_>,
        engine: &mut E,
        now: u64,
    ) -> Option<(Desc, u64)> {
        let held = self.held.take();
        let (desc, intended) = match held {
            Some(held) => held,
            None => {
                if worker.block.is_empty() && !self.refill::<E, PACED>(worker, engine, now) {
                    self.is_dry = PACED || !worker.source.is_blocked();
                    return None;
                }
                if PACED && !worker.is_next_ready(now, self.in_flight) {
                    return None;
                }
                let (desc, due) = worker.block.take()?;
                if PACED {
                    // This I/O may bring a pause, which may move the schedule of the
                    // I/Os after it.
                    let intended = worker.pacer.intended(due);
                    worker.pacer.begins(intended);
                    worker.pacer.issued(usize::from(desc.op().direction().is_some()), now);
                    (desc, intended)
                } else {
                    (desc, 0)
                }
            }
        };
        let joins_batch = engine.joins(&desc, worker.plan.compat_fio);
        if self.staged > 0 && !desc.is_transfer() && !joins_batch {
            // It may be done at once, so the I/Os that were taken before it are
            // submitted first.
            self.held = Some((desc, intended));
            return None;
        }
        if worker.serializes && self.overlaps(&desc) {
            self.held = Some((desc, intended));
            self.is_draining = true;
            return None;
        }
        Some((desc, intended))
    }
}
