//! A random map for I/O of varying size: one bit per smallest block.
//!
//! With one block size the map-free [`Permutation`](super::permutation) is
//! used; sizes that vary need to know which neighbours are still free, so that
//! no byte is touched twice in a pass. A busy pick moves on to the next free
//! block, as fio's map does.

/// Which blocks of a region were used in this pass.
#[derive(Clone, Debug)]
pub struct RandomMap {
    words: Vec<u64>,
    blocks: u64,
    free: u64,
}

/// Words that are filled between two looks at who may ask to stop: 64 MiB.
const PART: usize = 8 << 20;

impl RandomMap {
    /// A map of `blocks` free blocks, or `None` when memory for it cannot be
    /// had (see `softrandommap`), or once `is_stopped` says so.
    pub fn new(blocks: u64, is_stopped: impl Fn() -> bool) -> Option<Self> {
        let length = usize::try_from(blocks.div_ceil(64)).ok()?;
        let mut words = Vec::new();
        words.try_reserve_exact(length).ok()?;
        while words.len() < length {
            if is_stopped() {
                return None;
            }
            // Touched here, and not while something is measured.
            words.resize(length.min(words.len() + PART), 0);
        }
        let mut map = RandomMap { words, blocks, free: blocks };
        map.end();
        Some(map)
    }

    /// Forgets the pass.
    pub fn clear(&mut self) {
        self.words.fill(0);
        self.free = self.blocks;
        self.end();
    }

    /// Bits past the end are set, so that scans end there.
    fn end(&mut self) {
        let tail = self.blocks % 64;
        if let (true, Some(last)) = (tail != 0, self.words.last_mut()) {
            *last = !0 << tail;
        }
    }

    /// Takes up to `want` adjacent free blocks, at `start` or the next free
    /// place after it (around the end). `None` when the pass is over.
    pub fn take(&mut self, start: u64, want: u64) -> Option<(u64, u64)> {
        if self.free == 0 {
            return None;
        }
        let first = self.next_free(start).or_else(|| self.next_free(0))?;
        let mut count = 0;
        while count < want && first + count < self.blocks && self.is_free(first + count) {
            self.words[((first + count) / 64) as usize] |= 1 << ((first + count) % 64);
            count += 1;
        }
        self.free -= count;
        Some((first, count))
    }

    fn is_free(&self, block: u64) -> bool {
        self.words[(block / 64) as usize] & (1 << (block % 64)) == 0
    }

    fn next_free(&self, start: u64) -> Option<u64> {
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
