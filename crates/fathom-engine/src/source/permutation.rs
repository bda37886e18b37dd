//! Full coverage in random order without a map.
//!
//! A keyed permutation of `0..n`: every block exactly once per pass, in O(1)
//! memory. fio keeps a bit per block and, near the end of a pass,
//! scans for the next free one. Four Feistel rounds over the bits
//! of `n` scatter the index. A value beyond `n` is scattered again: a Feistel
//! network permutes its whole domain, which is below 2n, so this takes
//! less than two steps on average.

#[derive(Clone, Debug)]
pub struct Permutation {
    blocks: u64,
    keys: [u64; ROUNDS],
    low_bits: u32,
    low_mask: u64,
    high_mask: u64,
}

/// Four rounds make a pseudo-random permutation from good round functions
/// (Luby and Rackoff 1988); the chi-square test below checks ours.
const ROUNDS: usize = 4;

impl Permutation {
    pub fn new(blocks: u64, key: u64) -> Self {
        let bits = u64::BITS - blocks.saturating_sub(1).leading_zeros();
        let bits = bits.max(2);
        let low_bits = bits / 2;
        let mut state = key;
        Permutation {
            blocks,
            keys: std::array::from_fn(|_| split_mix(&mut state)),
            low_bits,
            low_mask: (1 << low_bits) - 1,
            high_mask: (1 << (bits - low_bits)) - 1,
        }
    }

    /// The block at position `index` of the order; `index` below `blocks`.
    #[inline]
    pub fn at(&self, index: u64) -> u64 {
        let mut x = self.scatter(index);
        while x >= self.blocks {
            x = self.scatter(x);
        }
        x
    }

    #[inline(always)]
    fn scatter(&self, x: u64) -> u64 {
        let (mut low, mut high) = (x & self.low_mask, x >> self.low_bits);
        for pair in self.keys.chunks_exact(2) {
            high ^= mix(low, pair[0]) & self.high_mask;
            low ^= mix(high, pair[1]) & self.low_mask;
        }
        high << self.low_bits | low
    }
}

/// Two multiplications with a shift and an exclusive or between them: every input
/// bit changes every bit of the result (constants of SplitMix64 and of the
/// "rrmxmx" finaliser, P. Evensen 2018).
#[inline(always)]
fn mix(x: u64, key: u64) -> u64 {
    let h = (x ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (h ^ h >> 32).wrapping_mul(0x9fb2_1c65_1e98_df25) >> 24
}

/// SplitMix64 (Steele, Lea, Flood 2014): makes many keys from one seed.
pub fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_block_once(blocks in 1u64..5000, key: u64) {
            let order = Permutation::new(blocks, key);
            let mut visited = vec![false; blocks as usize];
            for i in 0..blocks {
                let block = order.at(i) as usize;
                prop_assert!(!visited[block], "block {block} twice");
                visited[block] = true;
            }
        }
    }

    #[test]
    fn order_looks_uniform() {
        // Positions of the first 64k of 1M blocks over 256 equal zones.
        let order = Permutation::new(1 << 20, 7);
        let mut zones = vec![0u64; 256];
        for i in 0..1 << 16 {
            zones[(order.at(i) >> 12) as usize] += 1;
        }
        let expected = vec![1.0 / 256.0; 256];
        let p = crate::fixture::fit_p_value(&zones, &expected);
        assert!(p > 0.001, "p = {p}, {zones:?}");
    }

    #[test]
    fn neighbours_in_order_are_not_neighbours_on_the_target() {
        let order = Permutation::new(1_000_003, 99);
        let adjacent = (1..10_000).filter(|&i| order.at(i).abs_diff(order.at(i - 1)) == 1).count();
        assert!(adjacent <= 3, "{adjacent} adjacent pairs of 10,000");
    }
}
