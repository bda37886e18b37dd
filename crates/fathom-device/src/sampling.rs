//! Random places on a device, and what empty ones say about the rest.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// Random numbers: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
#[derive(Debug, Clone)]
pub struct SplitMix {
    state: u64,
}

impl SplitMix {
    /// Gives the same numbers for the same seed.
    pub fn from_seed(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Other numbers each time: from the keys that the kernel gives the hash
    /// tables of the standard library.
    pub fn unpredictable() -> Self {
        Self::from_seed(RandomState::new().build_hasher().finish())
    }

    /// The next number.
    pub fn next_bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

/// How many random places must be empty to say, with this much doubt, that
/// the part that is not empty is smaller than `part`: the smallest n with
/// (1 - part)ⁿ <= doubt.
pub fn places_needed(part: f64, doubt: f64) -> u32 {
    (doubt.ln() / (1.0 - part).ln()).ceil() as u32
}

/// `count` offsets in ascending order: the device is cut into `count` pieces
/// of the same length, and one byte is chosen at random in each.
///
/// Let a part p of the device hold data, and a part pᵢ of piece i; since the
/// pieces are equal, p is the mean of the pᵢ. All offsets miss the data with
/// probability ∏(1 - pᵢ), and that is at most (1 - p)^count, because the
/// geometric mean of the (1 - pᵢ) is not greater than their arithmetic mean.
/// So these offsets find data at least as surely as independent ones, however
/// the data are spread. And data in one extent longer than two pieces fill a
/// whole piece and are found with certainty.
///
/// Pieces are equal to the last bit: they are measured in units of
/// 1/`count` byte, in which each is `size_bytes` long.
pub fn one_in_each_piece(random: &mut SplitMix, size_bytes: u64, count: u32) -> Vec<u64> {
    let size = u128::from(size_bytes);
    let offset = |piece: u32| {
        // The upper half of the product is a number below `size_bytes`; it
        // prefers none by more than size/2⁶⁴.
        let within = (u128::from(random.next_bits()) * size) >> 64;
        ((u128::from(piece) * size + within) / u128::from(count)) as u64
    };
    (0..count).map(offset).collect()
}

/// A part of a device that is read as one sample, in bytes.
pub const WINDOW_BYTES: u64 = 64 << 10;

/// Read whole at both ends, where tables and signatures lie, in bytes.
const END_BYTES: u64 = 1 << 20;

/// Offsets of the windows of a device: both ends, and `count` at random places, each once, in ascending order. The last
/// may be shorter than the others. A device that has no more windows than are wanted has all of them.
pub fn windows(size_bytes: u64, count: u32, seed: u64) -> Vec<u64> {
    let all = size_bytes.div_ceil(WINDOW_BYTES);
    let end = (END_BYTES / WINDOW_BYTES).min(all);
    let mut windows: Vec<u64> = (0..end).chain(all - end..all).collect();
    if all <= u64::from(count) + 2 * end {
        windows = (0..all).collect();
    } else {
        let mut random = SplitMix::from_seed(seed);
        windows.extend((0..count).map(|_| random.next_bits() % all));
    }
    windows.sort_unstable();
    windows.dedup();
    windows.into_iter().map(|window| window * WINDOW_BYTES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_places_are_needed() {
        assert_eq!(places_needed(0.001, 0.001), 6905);
        assert!(0.999f64.powi(6905) <= 0.001 && 0.999f64.powi(6904) > 0.001);
        assert_eq!(places_needed(0.01, 0.05), 299);
    }

    #[test]
    fn each_piece_has_one_and_the_last_byte_can_be_chosen() {
        for size in [5, 4096, (1 << 44) + 512, u64::MAX] {
            let offsets = one_in_each_piece(&mut SplitMix::from_seed(7), size, 5);
            assert!(offsets.is_sorted() && *offsets.last().unwrap() < size);
            for (piece, offset) in offsets.iter().enumerate() {
                let scaled = u128::from(*offset) * 5;
                assert!(scaled + 5 > piece as u128 * u128::from(size), "{size}: {offsets:?}");
                assert!(scaled < (piece as u128 + 1) * u128::from(size), "{size}: {offsets:?}");
            }
        }
    }

    /// How often the offsets miss data that fill 1 % of a device of 10,000
    /// blocks, of 4,000 draws of 200 offsets each. Independent offsets would
    /// miss them with probability 0.99²⁰⁰ = 0.134; the bound below lies four
    /// standard deviations above that, and the seed is fixed.
    fn missed(is_data: impl Fn(u64) -> bool) -> f64 {
        assert_eq!((0..10_000).filter(|&block| is_data(block)).count(), 100);
        let mut random = SplitMix::from_seed(2026);
        let draws = 4000;
        let misses = (0..draws).filter(|_| {
            let offsets = one_in_each_piece(&mut random, 10_000 * 4096, 200);
            offsets.iter().all(|offset| !is_data(offset / 4096))
        });
        misses.count() as f64 / f64::from(draws)
    }

    #[test]
    fn no_way_to_spread_the_data_beats_the_bound() {
        let bound = 0.134 + 4.0 * (0.134f64 * 0.866 / 4000.0).sqrt();
        let mut random = SplitMix::from_seed(1);
        let mut scattered = std::collections::BTreeSet::new();
        while scattered.len() < 100 {
            scattered.insert(random.next_bits() % 10_000);
        }
        let at_random = missed(|block| scattered.contains(&block));
        assert!(at_random <= bound && at_random > 0.05, "{at_random}");
        // One block in every second piece, the worst there is.
        let evenly = missed(|block| block % 100 == 37);
        assert!(evenly <= bound && evenly > 0.05, "{evenly}");
        // An extent of 1 % fills a piece of 0.5 %.
        assert_eq!(missed(|block| (4321..4421).contains(&block)), 0.0);
    }

    #[test]
    fn the_seed_chooses_the_places_and_the_ends_are_always_among_them() {
        let of = |seed| windows(1 << 40, 50, seed);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        let places = of(1);
        assert!((0..16).all(|n| places.contains(&(n * WINDOW_BYTES))));
        assert_eq!(*places.last().unwrap(), (1 << 40) - WINDOW_BYTES);
    }
}
