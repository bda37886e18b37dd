//! Random numbers: one generator per worker, seeds that do not collide.
//!
//! wyrand (Wang Yi, 2019): a counter and one long multiplication. It takes half the
//! instructions of xoshiro256++ and passes the same tests (BigCrush, PractRand).
//! A number below a bound is the high half of a product (Lemire 2019) and needs no
//! division; the bias is below n/2⁶⁴.

use super::permutation::split_mix;
use rustix::rand::{GetRandomFlags, getrandom};

#[derive(Clone, Debug)]
pub struct Random(u64);

/// wyrand's two constants: the step of the counter, which is odd and so reaches
/// every state, and the value that scrambles the product.
const STEP: u64 = 0xa076_1d64_78bd_642f;
const SCRAMBLE: u64 = 0xe703_7ed1_a0b4_28db;

impl Random {
    /// The stream of a seed. Streams are parts of one cycle of 2⁶⁴ numbers; the
    /// seed is hashed, so that they begin far from each other.
    pub fn new(seed: u64) -> Self {
        let mut state = seed;
        Random(split_mix(&mut state))
    }

    #[inline(always)]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let product = u128::from(self.0) * u128::from(self.0 ^ SCRAMBLE);
        (product >> 64) as u64 ^ product as u64
    }

    #[inline(always)]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    #[inline(always)]
    pub fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < u64::from(percent)
    }

    pub fn fill(&mut self, buffer: &mut [u8]) {
        let mut words = buffer.chunks_exact_mut(8);
        for word in &mut words {
            word.copy_from_slice(&self.bits().to_le_bytes());
        }
        let rest = words.into_remainder();
        let last = self.bits().to_le_bytes();
        rest.copy_from_slice(&last[..rest.len()]);
    }
}

/// A seed that nobody can predict, for `randrepeat=0`.
pub fn fresh_seed() -> u64 {
    let mut bytes = [0u8; 8];
    if getrandom(&mut bytes, GetRandomFlags::empty()).is_ok_and(|got| got == bytes.len()) {
        return u64::from_ne_bytes(bytes);
    }
    // getrandom cannot fail for eight bytes after boot. If it does, the clock
    // still differs between runs.
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(1, |d| d.as_nanos() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chi-square over 256 cells, of the high byte, the low byte, and the
    /// difference of neighbours.
    #[test]
    fn bytes_are_uniform_and_neighbours_independent() {
        let expected = vec![1.0 / 256.0; 256];
        for seed in 0..8 {
            let mut random = Random::new(seed);
            let mut cells = [vec![0u64; 256], vec![0u64; 256], vec![0u64; 256]];
            let mut before = random.bits();
            for _ in 0..1 << 18 {
                let bits = random.bits();
                cells[0][(bits >> 56) as usize] += 1;
                cells[1][(bits & 255) as usize] += 1;
                cells[2][(bits.wrapping_sub(before) >> 56) as usize] += 1;
                before = bits;
            }
            for cell in &cells {
                let p = crate::fixture::fit_p_value(cell, &expected);
                assert!(p > 1e-5, "seed {seed}: p = {p}");
            }
        }
    }

    #[test]
    fn streams_of_neighbouring_seeds_share_nothing() {
        let stream = |seed| {
            let mut random = Random::new(seed);
            (0..10_000).map(|_| random.bits()).collect::<std::collections::HashSet<_>>()
        };
        assert_eq!(stream(1).intersection(&stream(2)).count(), 0);
    }

    #[test]
    fn a_buffer_is_filled_to_its_last_byte() {
        let mut buffer = [0u8; 29];
        let mut random = Random::new(3);
        let mut ever_set = [0u8; 29];
        for _ in 0..20 {
            random.fill(&mut buffer);
            ever_set.iter_mut().zip(&buffer).for_each(|(s, b)| *s |= b);
        }
        assert!(ever_set.iter().all(|&s| s != 0), "{ever_set:?}");
    }
}
