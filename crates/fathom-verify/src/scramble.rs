//! Mixing of 64 bits: with an inverse, and without.

/// An odd number, so multiplication by it can be undone: the golden ratio in 64 bits.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
/// `FACTOR * INVERSE` is 1 in 64 bits.
const INVERSE: u64 = 0xf1de_83e1_9937_733d;
const _: () = assert!(FACTOR.wrapping_mul(INVERSE) == 1);

/// Mixes the bits of a number; [`unscramble`] gives it back.
pub(crate) fn scramble(number: u64) -> u64 {
    let mixed = number.wrapping_mul(FACTOR);
    (mixed ^ mixed >> 32).wrapping_mul(FACTOR)
}

/// The number that was scrambled.
pub(crate) fn unscramble(scrambled: u64) -> u64 {
    let mixed = scrambled.wrapping_mul(INVERSE);
    (mixed ^ mixed >> 32).wrapping_mul(INVERSE)
}

/// SplitMix64 (Steele, Lea, Flood 2014): one random number for each value of a counter.
pub(crate) fn mix(counter: u64) -> u64 {
    let z = counter.wrapping_mul(FACTOR);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
