//! The order in which the cells of a group are measured.

use super::Order;
use fathom_stats::SplitMix64;

/// The places of so many cells in the order in which they are measured. `reference_every` puts the first cell in again after so
/// many cells, and at the end.
pub fn order(cells: usize, order: Order, reference_every: u32, seed: u64) -> Vec<usize> {
    let mut places: Vec<usize> = (0..cells).collect();
    if order == Order::Random {
        shuffle(&mut places, seed);
    }
    let every = reference_every as usize;
    if every == 0 || cells < 2 {
        return places;
    }
    // The reference comes first, so that what follows can be compared with it.
    places.retain(|place| *place != 0);
    let mut all = vec![0];
    for some in places.chunks(every) {
        all.extend_from_slice(some);
        all.push(0);
    }
    all
}

/// Fisher and Yates, as Durstenfeld has it (CACM algorithm 235, 1964).
fn shuffle(places: &mut [usize], seed: u64) {
    let mut random = SplitMix64::new(seed);
    for last in (1..places.len()).rev() {
        let other = ((u128::from(random.next_bits()) * (last as u128 + 1)) >> 64) as usize;
        places.swap(last, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_measured_and_the_reference_comes_again() {
        assert_eq!(order(4, Order::AsWritten, 0, 7), [0, 1, 2, 3]);
        assert_eq!(order(6, Order::AsWritten, 2, 7), [0, 1, 2, 0, 3, 4, 0, 5, 0]);
        assert_eq!(order(1, Order::Random, 2, 7), [0]);
        let random = order(100, Order::Random, 0, 7);
        let mut sorted = random.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
        assert_ne!(random, sorted);
        assert_eq!(random, order(100, Order::Random, 0, 7), "the same seed gives the same order");
        assert_ne!(random, order(100, Order::Random, 0, 8));
    }
}
