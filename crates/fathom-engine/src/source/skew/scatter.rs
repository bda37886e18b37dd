//! From ranks to places: the hottest places lie scattered over the region.

use crate::source::permutation::Permutation;

/// A bijection of ranks and places. fio multiplies a rank by a constant and takes the remainder by the
/// number of places. Where that number is no power of two, ranks share places, and many places have no rank:
/// fio reaches 308 of 1,000 places, and 88 % of a million.
#[derive(Clone, Debug)]
pub struct Scatter {
    order: Permutation,
    /// Added to each place, modulo `places`.
    shift: u64,
    places: u64,
}

/// Decides the order of ranks where the centre is given: then every clone and every run has the same hot
/// places, as in fio.
const FIXED: u64 = 0x7363_6174_7465_7221;

impl Scatter {
    /// The places of ranks from 0. Without a centre, `seed` decides all; with one (a fraction of the
    /// region), the rank `hottest` is there.
    pub fn new(places: u64, seed: u64, center: Option<f64>, hottest: u64) -> Scatter {
        let order = Permutation::new(places, center.map_or(seed, |_| FIXED));
        let shift = center.map_or(0, |center| {
            let wanted = ((center * places as f64) as u64).min(places - 1);
            (wanted + places - order.at(hottest)) % places
        });
        Scatter { order, shift, places }
    }

    #[inline(always)]
    pub fn at(&self, rank: u64) -> u64 {
        let place = self.order.at(rank) + self.shift;
        if place >= self.places { place - self.places } else { place }
    }
}
