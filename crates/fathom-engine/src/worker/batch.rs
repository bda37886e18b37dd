//! The stamps of each submit call.
//!
//! All I/Os of one call share two stamps, so a slot holds the number of its
//! batch, and the stamps are written once per call instead of once per I/O. A
//! batch stays in use until its last I/O is reaped, however slow that is.

use super::free::FreeSlots;

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
}
