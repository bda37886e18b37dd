//! The numbers of a round that follow from the seed of its procedure: its id and its random seed.
//!
//! A round that is measured again after a crash gets the same ones, so it does the same I/O.

use crate::run_id;
use fathom_stats::SplitMix64;

/// The id of the run of round `number`.
pub(super) fn id(seed: u64, number: u32) -> String {
    run_id::of_number(stream(seed, number).next_bits())
}

/// The options that give every job of round `number` its random numbers.
pub(super) fn options(seed: u64, number: u32) -> [(String, String); 2] {
    let mut stream = stream(seed, number);
    stream.next_bits();
    // The range of `randseed`.
    let randseed = stream.next_bits() >> 1;
    [("randrepeat", "1".to_owned()), ("randseed", randseed.to_string())]
        .map(|(name, value)| (name.to_owned(), value))
}

fn stream(seed: u64, number: u32) -> SplitMix64 {
    let base = SplitMix64::new(seed).next_bits();
    SplitMix64::new(base ^ u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn rounds_differ_and_repeat() {
        let ids: HashSet<String> = (0..10_000).map(|number| id(7, number)).collect();
        let seeds: HashSet<String> = (0..10_000).map(|number| options(7, number)[1].1.clone()).collect();
        assert_eq!((ids.len(), seeds.len()), (10_000, 10_000));
        assert_eq!((id(7, 3), options(7, 3)), (id(7, 3), options(7, 3)));
        assert_ne!((id(7, 3), options(7, 3)), (id(8, 3), options(8, 3)));
    }
}
