//! Which write a seed names: the key of a run makes one of the other.

use crate::scramble::{scramble, unscramble};

/// One write of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WriteName {
    /// The clone that wrote, from 0.
    pub writer: u16,
    /// The number of the write within its clone, from 0, below 2^48.
    pub number: u64,
}

/// The key of a run. Two runs have different keys, so a block that an earlier run left is not taken for one of this run,
/// even where both wrote the same block at the same place as the same write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lineage {
    key: u64,
}

/// Bits of the number of a write.
const NUMBER_BITS: u32 = 48;

impl Lineage {
    /// The lineage of a run's key, which should be a random number.
    pub fn new(key: u64) -> Lineage {
        Lineage { key }
    }

    /// The key.
    pub fn key(self) -> u64 {
        self.key
    }

    /// The seed of a write. Every write has its own.
    #[inline]
    pub fn seed(self, write: WriteName) -> u64 {
        let name = u64::from(write.writer) << NUMBER_BITS | write.number & ((1 << NUMBER_BITS) - 1);
        scramble(name ^ self.key) ^ self.key.rotate_left(32)
    }

    /// The write that a seed names, if it is one of the first `written` of a clone of this run.
    pub fn origin(self, seed: u64, written: impl Fn(u16) -> u64) -> Option<WriteName> {
        let name = unscramble(seed ^ self.key.rotate_left(32)) ^ self.key;
        let write =
            WriteName { writer: (name >> NUMBER_BITS) as u16, number: name & ((1 << NUMBER_BITS) - 1) };
        (write.number < written(write.writer)).then_some(write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_back_its_write_and_another_runs_does_not() {
        let (ours, theirs) = (Lineage::new(0x1234_5678_9abc_def1), Lineage::new(7));
        for number in [0, 1, 77, 1 << 20, (1 << 48) - 1] {
            for writer in [0, 1, 65_535] {
                let write = WriteName { writer, number };
                assert_eq!(ours.origin(ours.seed(write), |_| u64::MAX), Some(write));
                assert_eq!(ours.origin(theirs.seed(write), |_| 1 << 20), None);
            }
        }
        let late = ours.seed(WriteName { writer: 0, number: 10 });
        assert_eq!(ours.origin(late, |_| 10), None, "it was not written yet");
    }
}
