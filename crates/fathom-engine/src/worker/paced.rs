//! The pace of a worker: what may start now, and how long to wait.

use super::file_table::Exchange;
use super::recorder::Turn;
use super::{Carried, Worker};
use crate::desc::{Desc, Op};
use crate::engine::SyncEngine;
use crate::invalidate;
use fathom_results::JobFailure;

/// What comes next for a loop that does one I/O at a time.
#[derive(Clone, Copy, Debug)]
pub enum Next {
    Go(Desc, u64),
    /// No I/O before something else is due: the loop looks at its clock.
    NotYet,
    Dry,
}

impl Worker<'_> {
    /// Gets new descriptors; false when there are no more.
    #[inline(always)]
    pub fn refill<const PACED: bool>(&mut self, now: u64) -> bool {
        let Worker { source, pacer, block, .. } = self;
        let has_more = block.refill(|out, due| {
            if PACED { source.fill_paced(out, due, pacer.elapsed(now)) } else { source.fill(out) }
        });
        if source.begins_cold() {
            self.drop_cache();
        }
        has_more
    }

    /// Drops the pages that the cache has of the files. Where not all are open, they are dropped as each is opened.
    #[cold]
    fn drop_cache(&mut self) {
        if self.file_table.is_some() {
            return;
        }
        let Worker { plan, files, recorder, lender, .. } = self;
        lender.during(recorder, || invalidate::drop_cache(plan, files), || ());
    }

    /// The same for a job that keeps fewer files open than it has. It also returns true
    /// when the next descriptor waits for its file to be opened and none may go.
    pub fn refill_with_table<const PACED: bool>(&mut self, now: u64, mut by: Exchange<'_>) -> bool {
        if self.block.held().is_none() {
            if !self.refill::<PACED>(now) {
                return false;
            }
            self.block.hold_all();
        }
        self.release(&mut by)
    }

    /// The same for a loop that does one I/O at a time, and has nothing in flight
    /// between two I/Os.
    #[inline(always)]
    fn refill_one_by_one<E: SyncEngine, const PACED: bool>(&mut self, now: u64, engine: &mut E) -> bool {
        if self.file_table.is_none() {
            return self.refill::<PACED>(now);
        }
        self.refill_with_table::<PACED>(
            now,
            Exchange { replace: &mut |by| engine.replace(by), is_busy: &|_| false },
        )
    }

    /// How many descriptors of the block may start now, in a job that only
    /// reads and writes, so that due times ascend.
    #[inline(always)]
    pub fn ready(&mut self, now: u64, in_flight: u32) -> usize {
        self.pacer.move_schedule(self.block.next_due());
        let room = self.pacer.allows(now, in_flight);
        self.block.due_by(self.pacer.elapsed(now), room)
    }

    /// May the next descriptor start now? With syncs and trims, a descriptor
    /// after it may be due sooner; it does not count.
    #[inline(always)]
    pub fn is_next_ready(&mut self, now: u64, in_flight: u32) -> bool {
        self.pacer.move_schedule(self.block.next_due());
        let room = self.pacer.allows(now, in_flight);
        self.block.due_by(self.pacer.elapsed(now), room.min(1)) > 0
    }

    /// The next descriptor of a loop that does one at a time; a paced one waits
    /// for its start, but not beyond the recorder's next stamp.
    #[inline(always)]
    pub fn next_desc<E: SyncEngine, const PACED: bool>(&mut self, engine: &mut E) -> Next {
        if !PACED {
            return match self.block.take() {
                Some((desc, _)) => Next::Go(desc, 0),
                None if self.refill_one_by_one::<E, false>(0, engine) => {
                    self.block.take().map_or(Next::Dry, |(desc, _)| Next::Go(desc, 0))
                }
                None => self.dry(),
            };
        }
        let now = self.recorder.clock.now();
        if self.block.is_empty() && !self.refill_one_by_one::<E, true>(now, engine) {
            return self.dry();
        }
        if !self.is_next_ready(now, 0) {
            self.rest();
            return Next::NotYet;
        }
        let Some((desc, due)) = self.block.take() else { return Next::Dry };
        // This I/O may bring a pause, which may move the schedule of the I/Os after it.
        let intended = self.pacer.intended(due);
        self.pacer.begins(intended);
        self.pacer.issued(usize::from(desc.op().direction().is_some()), now);
        Next::Go(desc, intended)
    }

    /// The source has made no I/O: it has no more, or none has a place now.
    #[cold]
    fn dry(&mut self) -> Next {
        if !self.source.is_blocked() {
            return Next::Dry;
        }
        self.await_others();
        Next::NotYet
    }

    #[inline(always)]
    pub fn completed(&mut self, op: Op, intended: u64, total_ns: u64, (start, reaped_at): (u64, u64)) {
        if self.pacer.is_of_this_phase(intended) {
            self.recorder.respond(op, reaped_at.saturating_sub(intended));
        }
        self.pacer.took(1, total_ns, start);
        self.seen_complete(1, reaped_at);
    }

    /// Counts `count` I/Os that completed and were seen at `reaped_at`. If they end a search
    /// for a depth, the ramp in which the search took place ends too.
    #[inline(always)]
    pub fn seen_complete(&mut self, count: usize, reaped_at: u64) {
        self.pacer.completed(count, reaped_at);
        if self.pacer.is_settled() && self.recorder.is_in_ramp() {
            self.recorder.end_ramp(reaped_at);
        }
    }

    /// Waits with nothing in flight until the next start, or the recorder's
    /// next stamp if that comes first; returns the time.
    pub fn rest(&mut self) -> u64 {
        self.pacer.move_schedule(self.block.next_due());
        let start = self.pacer.next_start(self.block.next_due().unwrap_or(0));
        self.pacer.rest_for(start, self.recorder.next_stamp())
    }

    pub fn turn_if_due(&mut self) -> Result<Turn, JobFailure> {
        let now = self.recorder.clock.now();
        if now >= self.recorder.next_stamp() { self.turn(now, Carried::default) } else { Ok(Turn::Nothing) }
    }

    /// How to wait in a submit call at `now`; `wait` and `left_ns` are the values
    /// without a pace.
    #[inline(always)]
    pub fn waiting(&mut self, wait: u32, left_ns: u64, in_flight: u32, now: u64) -> (u32, u64) {
        if self.pacer.is_full(in_flight) {
            return (wait, left_ns);
        }
        self.pacer.move_schedule(self.block.next_due());
        let next = self.pacer.next_start(self.block.next_due().unwrap_or(0));
        self.pacer.waiting(wait, left_ns, next, now)
    }
}
