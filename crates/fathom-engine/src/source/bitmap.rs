//! A random map for I/O of varying size: one bit per smallest block.
//!
//! With one block size the [`Permutation`](super::permutation) is
//! used, which needs no map. With sizes that vary, the source must know which
//! neighbours are still free, so that no byte is touched twice in a pass. If a
//! drawn block is used, the next free block is taken, as in fio's map.

#[derive(Clone, Debug)]
pub struct RandomMap {
    used: Bits,
    blocks: u64,
    free: u64,
}

impl RandomMap {
    /// A map of `blocks` free blocks; `None` if there is no memory for it
    /// (see `softrandommap`), or once `is_stopped` returns true.
    pub fn new(blocks: u64, is_stopped: impl Fn() -> bool) -> Option<Self> {
        Some(RandomMap { used: Bits::new(blocks, is_stopped)?, blocks, free: blocks })
    }

    pub fn clear(&mut self) {
        self.used.free_all();
        self.free = self.blocks;
    }

    /// Takes up to `want` adjacent free blocks, at `start` or the next free
    /// place after it; the search goes on from the first block at the end of the map.
    /// `None` when the pass is over.
    pub fn take(&mut self, start: u64, want: u64) -> Option<(u64, u64)> {
        if self.free == 0 {
            return None;
        }
        let first = self.used.next_free(start)?;
        let mut count = 0;
        while count < want && first + count < self.blocks && self.used.is_free(first + count) {
            self.used.take(first + count);
            count += 1;
        }
        self.free -= count;
        Some((first, count))
    }
}

/// One bit per number. The numbers beyond the bound count as taken, so that a
/// search ends there.
#[derive(Clone, Debug)]
pub struct Bits {
    words: Vec<u64>,
    length: u64,
}

/// Words that are filled between two checks for a request to stop: 64 MiB.
const PART: usize = 8 << 20;

impl Bits {
    /// The numbers below `length`, all free; `None` if there is no memory for them,
    /// or once `is_stopped` returns true.
    pub fn new(length: u64, is_stopped: impl Fn() -> bool) -> Option<Self> {
        let count = usize::try_from(length.div_ceil(64)).ok()?;
        let mut words = Vec::new();
        words.try_reserve_exact(count).ok()?;
        while words.len() < count {
            if is_stopped() {
                return None;
            }
            // The page faults happen here, and not during the measurement.
            words.resize(count.min(words.len() + PART), 0);
        }
        let mut bits = Bits { words, length };
        bits.take_end();
        Some(bits)
    }

    pub fn free_all(&mut self) {
        self.words.fill(0);
        self.take_end();
    }

    pub fn take_all(&mut self) {
        self.words.fill(!0);
    }

    fn take_end(&mut self) {
        let tail = self.length % 64;
        if let (true, Some(last)) = (tail != 0, self.words.last_mut()) {
            *last = !0 << tail;
        }
    }

    pub fn take(&mut self, number: u64) {
        self.words[(number / 64) as usize] |= 1 << (number % 64);
    }

    pub fn free(&mut self, number: u64) {
        self.words[(number / 64) as usize] &= !(1 << (number % 64));
    }

    pub fn is_free(&self, number: u64) -> bool {
        self.words.get((number / 64) as usize).is_some_and(|word| word & (1 << (number % 64)) == 0)
    }

    /// The first free number from `start` on, or else from 0 on.
    pub fn next_free(&self, start: u64) -> Option<u64> {
        self.free_from(start).or_else(|| self.free_from(0))
    }

    fn free_from(&self, start: u64) -> Option<u64> {
        let mut index = (start / 64) as usize;
        let mut word = *self.words.get(index)? | ((1 << (start % 64)) - 1);
        while word == !0 {
            index += 1;
            word = *self.words.get(index)?;
        }
        Some(index as u64 * 64 + u64::from(word.trailing_ones()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_pass_takes_every_block_once(blocks in 1u64..700, picks in proptest::collection::vec((0u64..700, 1u64..9), 1..900)) {
            let mut map = RandomMap::new(blocks, || false).unwrap();
            let mut used = vec![false; blocks as usize];
            let mut picks = picks.iter().cycle();
            loop {
                let &(start, want) = picks.next().unwrap();
                let Some((first, count)) = map.take(start % blocks, want) else { break };
                prop_assert!(count >= 1 && count <= want);
                for block in first..first + count {
                    prop_assert!(!used[block as usize], "block {block} twice");
                    used[block as usize] = true;
                }
            }
            prop_assert!(used.iter().all(|&u| u));
        }
    }
}
