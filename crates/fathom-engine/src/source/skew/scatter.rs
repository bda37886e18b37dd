//! From ranks to places: the hottest places lie scattered over the region.

use crate::source::permutation::split_mix;

/// A bijection of ranks and places. fio multiplies a rank by a constant and takes the remainder by the
/// number of places. Where that number is no power of two, ranks share places, and many places have no rank:
/// fio reaches 308 of 1,000 places, and 88 % of a million.
///
/// A rank is scattered over the next power of two: a sum, a product with an odd number and a shifted
/// exclusive or, three times, each of which can be undone. A result that is no place is scattered again; that
/// power is below twice the number of places, so this takes less than two steps on average. It
/// is a third of the cost of the permutation that covers a region once, which must not show any
/// pattern in the order of its blocks.
#[derive(Clone, Debug)]
pub struct Scatter {
    keys: [u64; ROUNDS],
    /// Half of the bits of a place.
    half: u32,
    mask: u64,
    /// Added to each place, modulo `places`.
    shift: u64,
    places: u64,
}

const ROUNDS: usize = 3;

/// Odd numbers whose bits look random: those of SplitMix64 and of the "rrmxmx" finaliser (P. Evensen 2018).
const FACTORS: [u64; ROUNDS] = [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0x9fb2_1c65_1e98_df25];

/// Decides the order of ranks where the centre is given: then every clone and every run has the same hot
/// places, as in fio.
const FIXED: u64 = 0x7363_6174_7465_7221;

impl Scatter {
    /// The places of ranks from 0. Without a centre, `seed` decides all; with one (a fraction of the
    /// region), the rank `hottest` is there.
    pub fn new(places: u64, seed: u64, center: Option<f64>, hottest: u64) -> Scatter {
        let bits = (u64::BITS - places.saturating_sub(1).leading_zeros()).max(2);
        let mut state = center.map_or(seed, |_| FIXED);
        let keys = std::array::from_fn(|_| split_mix(&mut state));
        let mut scatter =
            Scatter { keys, half: bits / 2, mask: u64::MAX >> (u64::BITS - bits), shift: 0, places };
        if let Some(center) = center {
            let wanted = ((center * places as f64) as u64).min(places - 1);
            scatter.shift = (wanted + places - scatter.at(hottest)) % places;
        }
        scatter
    }

    #[inline(always)]
    pub fn at(&self, rank: u64) -> u64 {
        let mut place = self.scattered(rank);
        while place >= self.places {
            place = self.scattered(place);
        }
        place += self.shift;
        if place >= self.places { place - self.places } else { place }
    }

    #[inline(always)]
    fn scattered(&self, mut x: u64) -> u64 {
        for (key, factor) in self.keys.iter().zip(FACTORS) {
            x = x.wrapping_add(*key).wrapping_mul(factor) & self.mask;
            x ^= x >> self.half;
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_rank_has_a_place_of_its_own(places in 1u64..5000, seed: u64, center in 0.0..1.0f64) {
            for center in [None, Some(center)] {
                let scatter = Scatter::new(places, seed, center, 0);
                let mut is_taken = vec![false; places as usize];
                (0..places).for_each(|rank| is_taken[scatter.at(rank) as usize] = true);
                prop_assert!(is_taken.iter().all(|is_taken| *is_taken));
            }
        }
    }

    /// The first ranks of a region, and each rank over many seeds, over 256 equal parts of it.
    #[test]
    fn places_look_uniform() {
        let expected = vec![1.0 / 256.0; 256];
        for places in [1u64 << 20, 1_000_003, 3 << 28, (1 << 40) + 1] {
            let part = |place: u64| (u128::from(place) * 256 / u128::from(places)) as usize;
            let (mut of_ranks, mut of_seeds) = (vec![0u64; 256], vec![0u64; 256]);
            let scatter = Scatter::new(places, 7, None, 0);
            (0..1 << 16).for_each(|rank| of_ranks[part(scatter.at(rank))] += 1);
            (0..1 << 16).for_each(|seed| of_seeds[part(Scatter::new(places, seed, None, 0).at(3))] += 1);
            for parts in [of_ranks, of_seeds] {
                let p = crate::fixture::fit_p_value(&parts, &expected);
                assert!(p > 0.001, "{places} places: p = {p}, {parts:?}");
            }
        }
    }

    #[test]
    fn neighbours_in_rank_are_not_neighbours_on_the_target() {
        let scatter = Scatter::new(1_000_003, 99, None, 0);
        let near = (1..10_000).filter(|&rank| scatter.at(rank).abs_diff(scatter.at(rank - 1)) < 50).count();
        assert!(near <= 5, "{near} of 10,000 pairs; by chance it is one");
    }
}
