//! Uniform random writes of 4 KiB to a simulated drive, second by second.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fathom_sim::{FlashDrive, FlashModel, Io, IoKind, SimulatedDrive};
use fathom_stats::SplitMix64;

const SECOND_NS: u64 = 1_000_000_000;
const WRITE_BYTES: u64 = 4096;
const FILL_BYTES: u64 = 131_072;
const IN_FLIGHT: usize = 32;

/// A drive with its load.
pub struct Load {
    drive: FlashDrive,
    /// When each I/O in flight is complete.
    in_flight: BinaryHeap<Reverse<u64>>,
    now_ns: u64,
    random: SplitMix64,
    ios: u64,
}

impl Load {
    /// On a new drive, or on one that was written in order.
    pub fn new(model: &FlashModel, is_filled: bool, seed: u64) -> Load {
        let drive = FlashDrive::new(model).unwrap();
        let in_flight = BinaryHeap::from(vec![Reverse(0); IN_FLIGHT]);
        let mut load = Load { drive, in_flight, now_ns: 0, random: SplitMix64::new(seed), ios: 0 };
        if is_filled {
            let capacity = load.range_bytes();
            (0..capacity.div_ceil(FILL_BYTES)).for_each(|at| {
                let offset = at * FILL_BYTES;
                load.write(offset, FILL_BYTES.min(capacity - offset));
            });
            load.now_ns = load.in_flight.iter().map(|end| end.0).max().unwrap();
            load.in_flight = BinaryHeap::from(vec![Reverse(load.now_ns); IN_FLIGHT]);
        }
        load
    }

    pub fn range_bytes(&self) -> u64 {
        self.drive.capacity_bytes()
    }

    /// Writes for a second; gives the I/Os that were submitted.
    pub fn second(&mut self) -> u64 {
        let before = self.ios;
        self.now_ns += SECOND_NS;
        let units = self.range_bytes() / WRITE_BYTES;
        while self.in_flight.peek().is_some_and(|end| end.0 < self.now_ns) {
            // The remainder is biased by less than one in 10^13.
            let unit = self.random.next_bits() % units;
            self.write(unit * WRITE_BYTES, WRITE_BYTES);
            self.ios += 1;
        }
        self.ios - before
    }

    /// How often the random writes have filled the drive.
    pub fn fills(&self) -> f64 {
        (self.ios * WRITE_BYTES) as f64 / self.range_bytes() as f64
    }

    /// I/Os a second over so many further fills.
    pub fn mean_of(&mut self, fills: f64) -> f64 {
        let (end, ios, from_ns) = (self.fills() + fills, self.ios, self.now_ns);
        while self.fills() < end {
            self.second();
        }
        (self.ios - ios) as f64 * SECOND_NS as f64 / (self.now_ns - from_ns) as f64
    }

    fn write(&mut self, offset: u64, length: u64) {
        let Reverse(free_ns) = self.in_flight.pop().unwrap();
        let end_ns = self.drive.submit_at(free_ns, Io { kind: IoKind::Write, offset, length });
        self.in_flight.push(Reverse(end_ns));
    }
}
