//! Random numbers: one generator per worker, seeds that do not collide.
//!
//! xoshiro256++ (Blackman and Vigna 2018) with bounds by the high half of a
//! product (Lemire 2019) instead of a division; the bias is below n/2⁶⁴.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A worker's random numbers.
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Random(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// 64 random bits.
    #[inline(always)]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`.
    #[inline(always)]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// True in `percent` of 100 draws.
    #[inline(always)]
    pub fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < u64::from(percent)
    }

    /// Fills a buffer; the length need not be a multiple of eight.
    pub fn fill(&mut self, buffer: &mut [u8]) {
        self.0.fill_bytes(buffer);
    }
}

/// A seed nobody can predict, for `randrepeat=0`.
pub fn fresh_seed() -> u64 {
    let mut bytes = [0u8; 8];
    // SAFETY: the kernel writes at most eight bytes into memory that we own.
    let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    if got == bytes.len() as isize {
        return u64::from_ne_bytes(bytes);
    }
    // getrandom cannot fail for eight bytes after boot; the clock is a fallback
    // that still differs between runs.
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(1, |d| d.as_nanos() as u64)
}
