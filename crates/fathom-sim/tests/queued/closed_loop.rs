//! So many I/Os in flight on a drive that may queue them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fathom_sim::{Decided, Io, SimulatedDrive, Submitted};

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

/// Keeps `depth` I/Os in flight from `from_ns` on until `next` has none, in the order of time; gives the
/// completion of each by its tag, which counts from 0.
pub fn run(
    drive: &mut dyn SimulatedDrive,
    from_ns: u64,
    depth: usize,
    mut next: impl FnMut() -> Option<Io>,
) -> Vec<u64> {
    let mut free = BinaryHeap::from(vec![Reverse(from_ns); depth]);
    let mut completions_ns = Vec::new();
    let mut decided = Vec::new();
    loop {
        let due_ns = drive.next_decision_ns();
        let free_ns = free.peek().map(|Reverse(free_ns)| *free_ns);
        match (due_ns, free_ns) {
            (Some(due_ns), free_ns) if free_ns.is_none_or(|free_ns| due_ns <= free_ns) => {
                drive.decide(due_ns, &mut decided);
                for Decided { tag, completion_ns } in decided.drain(..) {
                    assert!(completion_ns >= due_ns);
                    assert_eq!(std::mem::replace(&mut completions_ns[tag as usize], completion_ns), 0);
                    free.push(Reverse(completion_ns));
                }
            }
            (_, Some(now_ns)) => {
                free.pop();
                let Some(io) = next() else { continue };
                let tag = completions_ns.len() as u64;
                completions_ns.push(0);
                if let Submitted::At(done_ns) = drive.submit(now_ns, tag, io) {
                    completions_ns[tag as usize] = done_ns;
                    free.push(Reverse(done_ns));
                }
            }
            _ => break,
        }
    }
    assert!(completions_ns.iter().all(|done_ns| *done_ns > 0), "every I/O is complete");
    completions_ns
}

/// I/Os a second of 4 KiB I/Os at random offsets, and the time of the end.
pub fn random_rate(
    drive: &mut dyn SimulatedDrive,
    from_ns: u64,
    depth: usize,
    count: u64,
    io: impl Fn(u64) -> Io,
    seed: u64,
) -> (f64, u64) {
    let units = drive.capacity_bytes() / 4096;
    let (mut bits, mut left) = (Bits(seed), count);
    let next = || {
        left = left.checked_sub(1)?;
        Some(io(bits.below(units) * 4096))
    };
    let completions_ns = run(drive, from_ns, depth, next);
    let end_ns = completions_ns.into_iter().max().unwrap_or(from_ns);
    (count as f64 * 1e9 / (end_ns - from_ns) as f64, end_ns)
}

/// Fails if `found` is further from `expected` than this share of it.
#[track_caller]
pub fn within(share: f64, found: f64, expected: f64, what: &str) {
    assert!((found / expected - 1.0).abs() <= share, "{what}: {found:.4} where {expected:.4} is expected");
}
