//! Pareto, in fio's sense: a share h of the places gets a share 1 − h of the I/Os, and so does a share h of
//! those (the "self-similar" distribution of Gray and others, 1994).

use super::fraction;
use crate::source::seed::Random;

/// Draws ranks by inverting the distribution: the first x of all places get x^(1/`power`) of the I/Os.
#[derive(Clone, Debug)]
pub struct Pareto {
    places: u64,
    power: f64,
}

impl Pareto {
    /// `h` between 0 and 1.
    pub fn new(places: u64, h: f64) -> Pareto {
        Pareto { places, power: h.ln() / (-h).ln_1p() }
    }

    /// The rank with the most I/Os: the first one, or with h above one half the last one.
    pub fn hottest(&self) -> u64 {
        if self.power < 1.0 { self.places - 1 } else { 0 }
    }

    /// A rank from 0.
    #[inline]
    pub fn rank(&self, random: &mut Random) -> u64 {
        let place = self.places as f64 * fraction(random).powf(self.power);
        (place as u64).min(self.places - 1)
    }
}
