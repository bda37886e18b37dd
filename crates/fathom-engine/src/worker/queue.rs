//! The queue of a worker: its slots and their I/Os.

use super::Carried;
use super::reap::RowKey;
use super::stray::Stray;
use crate::desc::Desc;
use fathom_job::plan::Depth;

/// One I/O in flight.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct IoSlot {
    pub desc: Desc,
    /// Length, direction and batch; [`RowKey::FREE`] unless the engine has it.
    pub key: RowKey,
    /// Stamp of the intended start, for a paced job.
    pub intended: u64,
}

/// A completion that is not plain data, and is not yet settled.
#[derive(Clone, Copy, Debug)]
pub struct Odd {
    pub slot: u32,
    /// Bytes, or negative errno.
    pub result: i32,
    /// Where the stamp of its start is.
    pub begun: Begun,
}

/// Where the stamp of an I/O's start is.
#[derive(Clone, Copy, Debug)]
pub enum Begun {
    /// It was done at once, and began at this stamp.
    At(u64),
    /// It began with the batch of this number.
    Batch(u32),
}

/// The slots and what is in flight. Every list has its final capacity from
/// the start.
#[derive(Debug)]
pub struct Queue {
    pub slots: Box<[IoSlot]>,
    pub free: FreeSlots,
    pub batches: Batches,
    /// Room for the intended starts of the completions that are taken together.
    pub starts: Box<[u64]>,
    /// Staged since the last submit call.
    pub staged: u32,
    /// Completions to be settled.
    pub odd: Vec<Odd>,
    /// Submitted or staged.
    pub in_flight: u32,
    pub batching: Batching,
    /// The source has no more I/Os.
    pub is_dry: bool,
    /// The first completion that belongs to no I/O in flight.
    pub stray: Option<Stray>,
    /// A descriptor that waits until the I/Os before it are submitted, or those that it overlaps are complete; and its intended
    /// start.
    pub held: Option<(Desc, u64)>,
    /// Nothing is put into the queue before its low mark is reached, or without one before the next completion: it was full, or what comes
    /// next overlaps an I/O in flight.
    pub is_draining: bool,
}

impl Queue {
    pub fn new(depth: u32, plan: &Depth) -> Queue {
        let empty = IoSlot { desc: Desc::EMPTY, key: RowKey::FREE, intended: 0 };
        Queue {
            slots: vec![empty; depth as usize].into(),
            free: FreeSlots::all(depth),
            batches: Batches::new(depth),
            starts: vec![0; depth as usize].into(),
            staged: 0,
            odd: Vec::with_capacity(depth as usize),
            in_flight: 0,
            batching: Batching::of(plan),
            is_dry: false,
            stray: None,
            held: None,
            is_draining: false,
        }
    }

    #[inline(always)]
    pub fn may_fill(&self) -> bool {
        !self.is_dry && !self.free.is_empty() && !self.is_draining
    }

    /// Completions to wait for in the coming submit call.
    #[inline(always)]
    pub fn wait_for(&self) -> u32 {
        let goes_next = self.held.is_some() && !self.is_draining;
        let was_cut = self.batching.fills_first || self.staged >= self.batching.submit_max;
        if !self.odd.is_empty() || goes_next || (was_cut && self.may_fill()) {
            return 0;
        }
        self.batching.wait_min.min(self.in_flight)
    }

    /// Does an I/O overlap one in flight? Only reads, writes and trims have a range.
    pub fn overlaps(&self, desc: &Desc) -> bool {
        let range = |desc: &Desc| (desc.offset, desc.offset.saturating_add(desc.bytes()));
        let (from, to) = range(desc);
        let is_in_way = |slot: &IoSlot| {
            let (start, end) = range(&slot.desc);
            slot.key != RowKey::FREE && slot.desc.file() == desc.file() && start < to && from < end
        };
        let has_range = |desc: &Desc| desc.op().direction().is_some();
        has_range(desc) && self.slots.iter().any(|slot| has_range(&slot.desc) && is_in_way(slot))
    }

    /// The ramp has ended: the limits of the job start from zero.
    pub fn restart(&mut self) {
        self.is_dry = false;
    }

    /// The I/O that is not complete when the ramp ends.
    pub fn carried(&mut self) -> Carried {
        let sum = |descs: &mut dyn Iterator<Item = &Desc>| {
            let data = descs.filter(|desc| desc.op().direction().is_some());
            data.fold((0, 0), |(ios, bytes), desc| (ios + 1, bytes + desc.bytes()))
        };
        let all = sum(&mut self.slots.iter().map(|slot| &slot.desc));
        let idle = sum(&mut self.free.slots().iter().map(|&slot| &self.slots[slot as usize].desc));
        Carried { held: self.held.take().map(|(desc, _)| desc), ios: all.0 - idle.0, bytes: all.1 - idle.1 }
    }

    /// Counts `count` I/Os that have left the queue.
    #[inline(always)]
    pub fn left(&mut self, count: usize) {
        self.in_flight -= count as u32;
        if self.is_draining {
            self.is_draining = self.batching.low.is_some_and(|low| self.in_flight > low);
        }
    }
}

// The stamps of each submit call.
//
// All I/Os of one call share two stamps, so a slot holds the number of its
// batch, and the stamps are written once per call instead of once per I/O. A
// batch stays in use until its last I/O is reaped, however slow that is.

/// One submit call with I/O in flight.
#[derive(Clone, Copy, Debug, Default)]
pub struct Batch {
    /// Stamp before its submit call.
    pub submitted: u64,
    /// Ticks between taking its descriptors and that stamp.
    pub lead: u64,
    /// I/Os not reaped yet.
    live: u32,
}

/// The batches of a queue. Each except the open one has I/O in flight, so the
/// queue needs one batch more than its depth.
#[derive(Debug)]
pub struct Batches {
    table: Box<[Batch]>,
    free: FreeSlots,
    open: u32,
}

impl Batches {
    pub fn new(depth: u32) -> Batches {
        let mut free = FreeSlots::all(depth + 1);
        let open = free.next().unwrap_or(0);
        free.take();
        Batches { table: vec![Batch::default(); depth as usize + 1].into(), free, open }
    }

    /// The number of the batch that is being filled.
    #[inline(always)]
    pub fn open(&self) -> u32 {
        self.open
    }

    /// The open batch, of `count` I/Os, goes to the kernel at `submitted`; its
    /// descriptors were taken at `taken`. An I/O that the kernel does not accept
    /// in this call keeps the stamps: its wait for a later call is latency too.
    #[inline(always)]
    pub fn close(&mut self, count: u32, taken: u64, submitted: u64) {
        let lead = submitted.saturating_sub(taken);
        self.table[self.open as usize] = Batch { submitted, lead, live: count };
        self.open = self.free.next().unwrap_or(self.open);
        self.free.take();
    }

    /// A batch with I/O in flight.
    #[inline(always)]
    pub fn get(&self, number: u32) -> Batch {
        self.table[number as usize]
    }

    #[inline(always)]
    pub fn reaped(&mut self, number: u32, count: u32) {
        let batch = &mut self.table[number as usize];
        batch.live = batch.live.saturating_sub(count);
        if batch.live == 0 {
            self.free.give(number);
        }
    }
}

// How many I/Os go into one submit call, and how many it waits for.
//
// Natural batching: every free slot is filled, one call submits them and
// waits for a single completion, and everything that is there by then is
// reaped and resubmitted together. The batch grows with the load by itself
// and no completion is held back. A job that names its batches
// (`iodepth_batch`, `iodepth_batch_complete_min/max`, `iodepth_low`) gets
// exactly those.

/// Most bytes for which data is made before a submit call, so that a target does not stand still meanwhile. To stamp 512 KiB takes
/// 20 µs: 32 such writes in one call added 590 µs to each of them, and cost 14 % of the IOPS of a virtual disk. To stamp 128 KiB
/// takes 5 µs.
const MADE_BYTES_MAX: usize = 128 << 10;

/// Most I/Os of one submit call that the kernel hands on one by one. It holds back those of a larger call until all are there, and joins
/// neighbours to one request (`AIO_PLUG_THRESHOLD` of fs/aio.c, `need_plug` of io_uring/io_uring.c): 16 sequential reads of 4 KiB
/// would reach the device as one of 64 KiB.
const UNJOINED_MAX: u32 = 2;

/// Batch limits; those of natural batching where the job names none.
#[derive(Clone, Copy, Debug)]
pub struct Batching {
    /// Most I/Os of one submit call.
    pub submit_max: u32,
    /// Completions to wait for.
    pub wait_min: u32,
    /// Most completions taken at a time.
    pub reap_max: usize,
    /// A full queue is filled again once this few are in flight; `None` where
    /// it is filled at once.
    pub low: Option<u32>,
    /// fio's order: fill the queue batch by batch before waiting.
    pub fills_first: bool,
}

impl Batching {
    pub fn of(depth: &Depth) -> Batching {
        let reap_max = match (depth.complete_max, depth.complete_min) {
            (Some(max), _) | (None, Some(max)) if max > 0 => max as usize,
            _ => usize::MAX,
        };
        Batching {
            submit_max: depth.submit_batch.filter(|&n| n > 0).unwrap_or(u32::MAX),
            wait_min: depth.complete_min.unwrap_or(1),
            reap_max,
            low: depth.low.filter(|&low| low < depth.reachable),
            fills_first: depth.submit_batch.is_some(),
        }
    }

    /// The same for a job that makes data for each write of up to `block` bytes. A batch that the job names stays as it is.
    pub fn with_data_made(mut self, block: usize) -> Batching {
        if !self.fills_first {
            self.submit_max = (MADE_BYTES_MAX / block.max(1)).max(1) as u32;
        }
        self
    }

    /// The same for a job whose next I/O may be where the last one ended: each reaches the device with its own size. A batch that the
    /// job names stays as it is, with what the kernel makes of it.
    pub fn with_neighbours_apart(mut self) -> Batching {
        if !self.fills_first {
            self.submit_max = self.submit_max.min(UNJOINED_MAX);
        }
        self
    }
}

/// A stack of slot numbers that never grows. The slot that was freed last is used
/// next, while its buffer is in the cache.
#[derive(Debug)]
pub struct FreeSlots {
    slots: Box<[u32]>,
    count: usize,
}

impl FreeSlots {
    /// All of `0..depth` are free; the lowest is used first.
    pub fn all(depth: u32) -> FreeSlots {
        FreeSlots { slots: (0..depth).rev().collect(), count: depth as usize }
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn slots(&self) -> &[u32] {
        &self.slots[..self.count]
    }

    /// The slot to be used next.
    #[inline(always)]
    pub fn next(&self) -> Option<u32> {
        self.slots.get(self.count.wrapping_sub(1)).copied()
    }

    /// Removes the slot that [`FreeSlots::next`] returned.
    #[inline(always)]
    pub fn take(&mut self) {
        self.count = self.count.saturating_sub(1);
    }

    /// Removes `count` slots. The slot that would be used next is the last in the slice.
    /// No more slots are removed than are left.
    #[inline(always)]
    pub fn take_many(&mut self, count: usize) -> &[u32] {
        let before = self.count;
        self.count = before.saturating_sub(count);
        &self.slots[self.count..before]
    }

    /// Begins to give back up to `count` slots.
    ///
    /// # Panics
    /// When more would be free than there are.
    #[inline(always)]
    pub fn giving(&mut self, count: usize) -> Giving<'_> {
        let FreeSlots { slots, count: back } = self;
        let place = slots.get_mut(*back..*back + count);
        let place = place.unwrap_or_else(|| unreachable!("no more can be free than there are"));
        Giving { places: place.iter_mut(), count, back }
    }

    #[inline(always)]
    pub fn give(&mut self, slot: u32) {
        let mut giving = self.giving(1);
        giving.give(slot);
        giving.end();
    }
}

/// Slots that are being given back. The place of the next one is kept in a register.
#[derive(Debug)]
pub struct Giving<'f> {
    places: std::slice::IterMut<'f, u32>,
    count: usize,
    back: &'f mut usize,
}

impl Giving<'_> {
    /// Adds a slot that is free again; at most `count` times.
    #[inline(always)]
    pub fn give(&mut self, slot: u32) {
        if let Some(place) = self.places.next() {
            *place = slot;
        }
    }

    #[inline(always)]
    pub fn given(&self) -> usize {
        self.count - self.places.len()
    }

    /// Ends giving slots back.
    #[inline(always)]
    pub fn end(self) {
        *self.back += self.given();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_io_keeps_its_stamps_while_others_come_and_go() {
        let mut batches = Batches::new(4);
        let slow = batches.open();
        batches.close(2, 100, 110);
        batches.reaped(slow, 1);
        for round in 0..1000 {
            let quick = batches.open();
            assert_ne!(quick, slow);
            batches.close(3, 200 + round, 205 + round);
            assert_eq!(batches.get(quick).submitted, 205 + round);
            batches.reaped(quick, 3);
        }
        assert_eq!((batches.get(slow).submitted, batches.get(slow).lead), (110, 10));
    }

    #[test]
    fn there_is_one_for_every_io_in_flight_and_an_open_one() {
        let mut batches = Batches::new(3);
        let mut numbers: Vec<u32> = (0..3)
            .map(|at| {
                let number = batches.open();
                batches.close(1, at, at);
                number
            })
            .collect();
        numbers.push(batches.open());
        numbers.sort_unstable();
        assert_eq!(numbers, [0, 1, 2, 3]);
    }

    const NATURAL: Depth = Depth {
        asked: 32,
        reachable: 32,
        low: None,
        submit_batch: None,
        complete_min: None,
        complete_max: None,
    };

    #[test]
    fn natural_batching_submits_all_waits_for_one_and_takes_all() {
        let b = Batching::of(&NATURAL);
        assert_eq!((b.submit_max, b.wait_min, b.reap_max, b.low), (u32::MAX, 1, usize::MAX, None));
        assert!(!b.fills_first);
    }

    #[test]
    fn named_limits_hold() {
        let named = Depth { low: Some(8), submit_batch: Some(16), complete_min: Some(4), ..NATURAL };
        let b = Batching::of(&named);
        assert_eq!((b.submit_max, b.wait_min, b.reap_max, b.low), (16, 4, 4, Some(8)));
        assert!(b.fills_first);
        let b = Batching::of(&Depth { complete_max: Some(9), ..named });
        assert_eq!((b.wait_min, b.reap_max), (4, 9));
    }

    #[test]
    fn writes_whose_data_is_made_are_submitted_before_the_next_are_made() {
        let limit = |depth: &Depth, block| Batching::of(depth).with_data_made(block).submit_max;
        let sizes = [512, 4 << 10, 64 << 10, 128 << 10, 1 << 20];
        assert_eq!(sizes.map(|block| limit(&NATURAL, block)), [256, 32, 2, 1, 1]);
        let named = Depth { submit_batch: Some(16), ..NATURAL };
        assert_eq!(limit(&named, 1 << 20), 16);

        let apart = |depth: &Depth| Batching::of(depth).with_neighbours_apart().submit_max;
        assert_eq!((apart(&NATURAL), apart(&named)), (2, 16));
        let large = Batching::of(&NATURAL).with_data_made(1 << 20);
        assert_eq!(large.with_neighbours_apart().submit_max, 1);

        let mut queue = Queue::new(3, &NATURAL);
        queue.batching = queue.batching.with_data_made(64 << 10);
        let mut waits = Vec::new();
        for staged in [2, 1] {
            queue.free.take_many(staged);
            (queue.staged, queue.in_flight) = (staged as u32, queue.in_flight + staged as u32);
            waits.push(queue.wait_for());
        }
        assert_eq!(waits, [0, 1], "the third slot is filled before a completion is waited for");
    }

    #[test]
    fn a_low_mark_at_the_depth_is_none() {
        assert_eq!(Batching::of(&Depth { low: Some(32), ..NATURAL }).low, None);
    }

    #[test]
    fn every_slot_once_and_the_last_freed_first() {
        let mut free = FreeSlots::all(5);
        let mut taken = Vec::new();
        while let Some(slot) = free.next().filter(|_| taken.len() < 3) {
            free.take();
            taken.push(slot);
        }
        assert_eq!(taken, [0, 1, 2]);
        assert_eq!(free.take_many(9), [4, 3], "no more than there are");
        assert!(free.is_empty());
        free.give(1);
        free.give(0);
        assert_eq!((free.next(), free.count()), (Some(0), 2));
    }
}
