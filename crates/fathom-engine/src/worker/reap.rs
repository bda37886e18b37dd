//! Reaping a queue: completions into rows, rows into the record.

use super::Worker;
use super::errors::Judgement;
use super::queue::{Batch, Batches, Begun, IoSlot, Odd, Queue};
use super::recorder::Completed;
use super::stray::Stray;
use crate::clock::Clock;
use crate::desc::{Desc, Op};
use crate::engine::AsyncEngine;
use crate::tally::batch_class;
use fathom_job::direction::Direction;
use fathom_results::JobFailure;

/// How many completions can be taken, and the stamp at which that was seen.
/// Never more than are in flight: if the kernel reports more, the next take fails.
#[inline(always)]
pub fn takeable<E: AsyncEngine>(engine: &mut E, queue: &mut Queue, clock: &Clock) -> (usize, u64) {
    let on_the_spot = queue.odd.len();
    let in_flight = (queue.in_flight as usize).saturating_sub(on_the_spot);
    let mut there = engine.available();
    if there > in_flight {
        queue.stray.get_or_insert(Stray::Surplus { there, in_flight });
        there = in_flight;
    }
    (there.min(queue.batching.reap_max), clock.now_ordered())
}

/// Takes `count` completions seen at `reaped_at`, and the I/Os that the engine did at once when they were staged.
#[inline(always)]
pub fn take<E: AsyncEngine, const PACED: bool>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
    count: usize,
    reaped_at: u64,
) -> Result<(), JobFailure> {
    let done_on_the_spot = queue.odd.len();
    let mut count = count;
    if count > 0 {
        count -= take_queued::<E, PACED>(worker, engine, queue, count, reaped_at);
        worker.recorder.tally().complete[batch_class(count)] += 1;
        if PACED {
            // The fsync family and errors do not count for a pause.
            let data = count - (queue.odd.len() - done_on_the_spot);
            worker.seen_complete(data, reaped_at);
        }
    }
    queue.left(count + done_on_the_spot);
    if queue.odd.is_empty() && queue.stray.is_none() {
        Ok(())
    } else {
        settle_all::<PACED>(worker, queue, reaped_at)
    }
}

/// Takes `count` completions; returns how many of them belong to no I/O in
/// flight. It is a separate function, and the row a local variable, so that what
/// each completion changes stays in registers.
#[inline(never)]
fn take_queued<E: AsyncEngine, const PACED: bool>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
    count: usize,
    reaped_at: u64,
) -> usize {
    let Queue { slots, free, batches, odd, starts, stray, .. } = queue;
    let mut books = Books { batches, odd, reaped_at, stray, strays: 0 };
    let mut giving = free.giving(count);
    let (mut row, mut from) = (CompletionRow::EMPTY, giving.given());
    // The number of intended starts of the row.
    let mut n = 0;
    engine.reap(count, |slot, result| {
        let Some(place) = slots.get_mut(slot as usize) else { return books.drop(slot, result) };
        if row.takes(place.key, result) {
            place.key = RowKey::FREE;
            giving.give(slot as u32);
            if PACED {
                n = note(starts, n, place.intended);
            }
        } else {
            let before = (row, giving.given() - from);
            let next;
            (row, next) =
                books.begin_row::<PACED>(worker, before, place, (slot as u32, result), &starts[..n]);
            (from, n) = (giving.given(), 0);
            match next {
                Next::InRow => {
                    giving.give(slot as u32);
                    if PACED {
                        n = note(starts, n, place.intended);
                    }
                }
                Next::Free => {
                    giving.give(slot as u32);
                    from += 1;
                }
                Next::Odd => {}
            }
            place.key = RowKey::FREE;
        }
    });
    let left = giving.given() - from;
    giving.end();
    books.end_row::<PACED>(worker, row, left, &starts[..n]);
    books.strays
}

/// Puts an intended start after the first `n`; returns how many there are.
#[inline(always)]
fn note(starts: &mut [u64], n: usize, intended: u64) -> usize {
    match starts.get_mut(n) {
        Some(place) => {
            *place = intended;
            n + 1
        }
        None => n,
    }
}

/// What happens to a slot whose completion is not like those of the row.
enum Next {
    /// It begins a new row.
    InRow,
    /// It was recorded, and the slot is free.
    Free,
    /// It is not plain data, and is settled later; or it belongs to no I/O in flight.
    Odd,
}

/// Records the time since the intended start.
#[inline(always)]
fn respond(worker: &mut Worker<'_>, op: Op, intended: u64, reaped_at: u64) {
    if worker.pacer.is_of_this_phase(intended) {
        worker.recorder.respond(op, reaped_at.saturating_sub(intended));
    }
}

/// What a take needs of its queue besides the slots.
struct Books<'q> {
    batches: &'q mut Batches,
    odd: &'q mut Vec<Odd>,
    reaped_at: u64,
    /// The first completion that belongs to no I/O in flight.
    stray: &'q mut Option<Stray>,
    /// How many such completions were dropped.
    strays: usize,
}

impl Books<'_> {
    /// Drops a completion that belongs to no I/O in flight.
    #[cold]
    fn drop(&mut self, slot: u64, result: i32) {
        self.stray.get_or_insert(Stray::NotInFlight { slot, result });
        self.strays += 1;
    }

    /// Ends a row, and looks at a completion that is not like it: the first of
    /// another row, one that is short, one to be recorded by itself, or one that is not plain data. A
    /// separate function, to keep the usual case short.
    #[inline(never)]
    fn begin_row<const PACED: bool>(
        &mut self,
        worker: &mut Worker<'_>,
        (before, n): (CompletionRow, usize),
        place: &IoSlot,
        (slot, result): (u32, i32),
        starts: &[u64],
    ) -> (CompletionRow, Next) {
        self.end_row::<PACED>(worker, before, n, starts);
        if place.key == RowKey::FREE {
            self.drop(slot.into(), result);
            return (CompletionRow::EMPTY, Next::Odd);
        }
        if result <= 0 {
            self.odd.push(Odd { slot, result, begun: Begun::Batch(place.key.batch()) });
            return (CompletionRow::EMPTY, Next::Odd);
        }
        if result == place.key.len() && !worker.recorder.is_one_by_one() {
            return (CompletionRow::of(place.key), Next::InRow);
        }
        let Batch { submitted, lead, .. } = self.batches.get(place.key.batch());
        self.batches.reaped(place.key.batch(), 1);
        if PACED && worker.pacer.is_of_search(submitted) {
            return (CompletionRow::EMPTY, Next::Free);
        }
        let done = Completed { desc: place.desc, slot, moved: result as u32, submitted, lead };
        let total_ns = worker.recorder.add(&done, self.reaped_at);
        if PACED {
            worker.pacer.took(1, total_ns, submitted);
            respond(worker, place.desc.op(), place.intended, self.reaped_at);
        }
        (CompletionRow::EMPTY, Next::Free)
    }

    /// Records the `n` completions of a row, and the time since their intended
    /// `starts`; called when the row or the take ends.
    #[inline(always)]
    fn end_row<const PACED: bool>(
        &mut self,
        worker: &mut Worker<'_>,
        row: CompletionRow,
        n: usize,
        starts: &[u64],
    ) {
        if n == 0 {
            return;
        }
        let (key, n) = (row.key(), n as u32);
        let Batch { submitted, lead, .. } = self.batches.get(key.batch());
        self.batches.reaped(key.batch(), n);
        if PACED && worker.pacer.is_of_search(submitted) {
            return;
        }
        let total_ns =
            worker.recorder.add_row(key.op(), key.len() as u64, n, submitted, lead, self.reaped_at);
        if PACED {
            worker.pacer.took(n, total_ns, submitted);
            let began = worker.pacer.began();
            worker.recorder.respond_many(key.op(), starts, began, self.reaped_at);
        }
    }
}

/// Settles completions that are not plain data: the fsync family, trims done at
/// once, errors. All are settled. The first fatal one ends the job, and so does
/// a completion that belongs to no I/O in flight.
#[cold]
fn settle_all<const PACED: bool>(
    worker: &mut Worker<'_>,
    queue: &mut Queue,
    reaped_at: u64,
) -> Result<(), JobFailure> {
    let mut outcome = Ok(());
    for at in 0..queue.odd.len() {
        let odd = queue.odd[at];
        let one = settle::<PACED>(worker, queue, odd, reaped_at);
        outcome = worker.tolerance.both(outcome, one);
    }
    queue.odd.clear();
    let stray = queue.stray.map_or(Ok(()), |stray| Err(stray.failure(worker.plan)));
    worker.tolerance.both(outcome, stray)
}

fn settle<const PACED: bool>(
    worker: &mut Worker<'_>,
    queue: &mut Queue,
    odd: Odd,
    reaped_at: u64,
) -> Result<(), JobFailure> {
    let Odd { slot, result, begun } = odd;
    let place = queue.slots[slot as usize];
    queue.free.give(slot);
    let submitted = match begun {
        Begun::At(stamp) => stamp,
        Begun::Batch(number) => {
            let batch = queue.batches.get(number);
            queue.batches.reaped(number, 1);
            batch.submitted
        }
    };
    match (result, place.desc.op().direction()) {
        (0, Some(Direction::Trim)) if PACED && worker.pacer.is_of_search(submitted) => {}
        (0, Some(Direction::Trim)) => {
            let total_ns = worker.recorder.add_trim(&place.desc, submitted, reaped_at);
            if PACED {
                worker.pacer.took(1, total_ns, submitted);
                respond(worker, Op::Trim, place.intended, reaped_at);
                worker.seen_complete(1, reaped_at);
            }
        }
        (0, None) => worker.recorder.add_sync(submitted, reaped_at),
        _ => match worker.tolerance.judge(place.desc.op(), -result) {
            Judgement::Ignore => {}
            Judgement::Count => worker.count_error(&place.desc, result, reaped_at),
            Judgement::Fatal => return Err(worker.describe(&place.desc, result)),
        },
    }
    Ok(())
}

// Consecutive completions that have everything in common.
//
// I/Os of one submit call that are reaped together have equal latency, so
// they are counted here and recorded once: one histogram step for all of them.
// What they have in common is one word, so that the usual completion costs one
// comparison.

/// Length, direction and batch of a read or write in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowKey(u64);

/// Above every length that the kernel moves in one call (`MAX_RW_COUNT`).
const WRITE: u64 = 1 << 31;

impl RowKey {
    /// The key of a slot that the engine does not have. No I/O has such a length.
    pub const FREE: RowKey = RowKey(u64::MAX);

    /// The key of a row without completions; no I/O and no free slot has it.
    const NONE: RowKey = RowKey(u64::MAX - 1);

    /// The part of the key that all I/Os of a batch have in common.
    #[inline(always)]
    pub fn of_batch(batch: u32) -> RowKey {
        RowKey(u64::from(batch) << 32)
    }

    #[inline(always)]
    pub fn with(self, desc: &Desc) -> RowKey {
        RowKey(self.0 | u64::from(desc.kind()))
    }

    pub fn new(desc: &Desc, batch: u32) -> RowKey {
        RowKey::of_batch(batch).with(desc)
    }

    /// Length in bytes, as asked for.
    #[inline(always)]
    pub fn len(self) -> i32 {
        (self.0 & (WRITE - 1)) as i32
    }

    #[inline(always)]
    pub fn batch(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline(always)]
    pub fn is_write(self) -> bool {
        self.0 & WRITE != 0
    }

    #[inline(always)]
    pub fn op(self) -> Op {
        if self.is_write() { Op::Write } else { Op::Read }
    }
}

/// What a row of equal completions has in common.
#[derive(Clone, Copy, Debug)]
pub struct CompletionRow {
    /// Length, direction and batch of its I/Os.
    key: RowKey,
    /// What each of them returned: the length of the key.
    result: i32,
}

impl CompletionRow {
    pub const EMPTY: CompletionRow = CompletionRow { key: RowKey::NONE, result: i32::MIN };

    /// A row that begins with a complete I/O.
    pub fn of(key: RowKey) -> CompletionRow {
        CompletionRow { key, result: key.len() }
    }

    pub fn key(&self) -> RowKey {
        self.key
    }

    /// Is this completion like the others, and complete?
    #[inline(always)]
    pub fn takes(&self, key: RowKey, result: i32) -> bool {
        self.key == key && result == self.result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(op: Op, len: u32, batch: u32) -> RowKey {
        RowKey::new(&Desc::new(op, 7, len, 3), batch)
    }

    #[test]
    fn a_key_gives_back_what_it_was_made_of() {
        for (op, len, batch) in
            [(Op::Read, 512, 0), (Op::Write, 0x7fff_f000, 65_536), (Op::Read, 1, u32::MAX)]
        {
            let key = key(op, len, batch);
            assert_eq!((key.op(), key.len(), key.batch()), (op, len as i32, batch));
        }
    }

    #[test]
    fn a_row_takes_only_what_is_like_it() {
        let row = CompletionRow::of(key(Op::Write, 512, 9));
        let cases = [
            (key(Op::Write, 512, 9), 512, true),
            (key(Op::Write, 512, 9), 100, false),
            (key(Op::Write, 512, 9), -5, false),
            (key(Op::Read, 512, 9), 512, false),
            (key(Op::Write, 4096, 9), 4096, false),
            (key(Op::Write, 512, 10), 512, false),
        ];
        for (key, result, expected) in cases {
            assert_eq!(row.takes(key, result), expected, "{key:?} {result}");
        }
    }

    #[test]
    fn an_empty_row_takes_nothing() {
        assert!(!CompletionRow::EMPTY.takes(key(Op::Read, 4096, 0), 4096));
    }
}
