//! A random map for I/O of varying size: one bit per smallest block.
//!
//! With one block size the [`Permutation`](super::permutation) is
//! used, which needs no map. With sizes that vary, the source must know which
//! neighbours are still free, so that no byte is touched twice in a pass. If a
//! drawn block is used, the next free block is taken, as in fio's map.

use super::bits::Bits;

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
