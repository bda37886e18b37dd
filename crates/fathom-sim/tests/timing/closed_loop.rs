//! So many I/Os in flight, and the next one as soon as one is complete.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fathom_sim::{FlashDrive, Io, IoKind};

/// Uniform numbers, the same on every machine.
pub struct Bits(pub u64);

impl Bits {
    /// Uniform below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * u128::from(bound)) >> 64) as u64
    }
}

pub fn read(offset: u64, length: u64) -> Io {
    Io { kind: IoKind::Read, offset, length }
}

pub fn write(offset: u64, length: u64) -> Io {
    Io { kind: IoKind::Write, offset, length }
}

pub fn flush() -> Io {
    Io { kind: IoKind::Flush, offset: 0, length: 0 }
}

/// Keeps `depth` I/Os in flight from `from_ns` on, until `next` has none; `seen` gets the completion of each.
/// Gives the time at which the last is complete.
pub fn run(
    drive: &mut FlashDrive,
    from_ns: u64,
    depth: usize,
    mut next: impl FnMut() -> Option<Io>,
    mut seen: impl FnMut(u64),
) -> u64 {
    let mut in_flight = BinaryHeap::from(vec![Reverse(from_ns); depth]);
    let mut last_ns = from_ns;
    while let Some(Reverse(now_ns)) = in_flight.pop() {
        let Some(io) = next() else { continue };
        let done_ns = drive.submit_at(now_ns, io);
        assert!(done_ns >= now_ns);
        seen(done_ns);
        last_ns = last_ns.max(done_ns);
        in_flight.push(Reverse(done_ns));
    }
    last_ns
}

/// Writes the whole drive in order, 128 KiB each, 32 in flight; gives the time of the end.
pub fn fill(drive: &mut FlashDrive, from_ns: u64) -> u64 {
    let capacity = fathom_sim::SimulatedDrive::capacity_bytes(drive);
    let mut offset = 0;
    let next = || {
        let length = (capacity - offset).min(131_072);
        offset += length;
        (length > 0).then(|| write(offset - length, length))
    };
    run(drive, from_ns, 32, next, |_| ())
}

/// `count` I/Os of 4 KiB at random offsets (of a seed: the same offsets again are not random writes), `depth`
/// in flight, after `from_ns`; gives how many a second.
pub fn random_rate(
    drive: &mut FlashDrive,
    from_ns: u64,
    depth: usize,
    count: u64,
    kind: fn(u64, u64) -> Io,
    seed: u64,
) -> (f64, u64) {
    let units = fathom_sim::SimulatedDrive::capacity_bytes(drive) / 4096;
    let (mut bits, mut left) = (Bits(seed), count);
    let next = || {
        left = left.checked_sub(1)?;
        Some(kind(bits.below(units) * 4096, 4096))
    };
    let end_ns = run(drive, from_ns, depth, next, |_| ());
    (count as f64 * 1e9 / (end_ns - from_ns) as f64, end_ns)
}

/// Fails if `found` is further from `expected` than this share of it.
#[track_caller]
pub fn within(share: f64, found: f64, expected: f64, what: &str) {
    assert!((found / expected - 1.0).abs() <= share, "{what}: {found:.4} where {expected:.4} is expected");
}
