//! A normal distribution over the region, cut at both ends.
//!
//! fio's formula is another one: the mean of twelve uniform draws, to which the deviation adds another
//! uniform draw, so that the standard deviation is always about a twelfth of the region; and the
//! result is hashed, so that no part of the region is hotter than another one.

use super::fraction;
use crate::source::seed::Random;

/// Draws places.
#[derive(Clone, Debug)]
pub struct Normal {
    /// Places as a number with a fraction, here and below.
    places: f64,
    mean: f64,
    deviation: f64,
}

impl Normal {
    /// Standard deviation and mean as fractions of the region.
    pub fn new(places: u64, deviation: f64, mean: f64) -> Normal {
        let places = places as f64;
        Normal { places, mean: mean * places, deviation: deviation * places }
    }

    /// A place from 0. What lies outside the region is drawn again.
    #[inline]
    pub fn place(&self, random: &mut Random) -> u64 {
        loop {
            let (a, b) = pair(random);
            for z in [a, b] {
                let place = self.mean + self.deviation * z;
                if (0.0..self.places).contains(&place) {
                    return place as u64;
                }
            }
        }
    }
}

/// Two independent standard normal numbers (Marsaglia's polar method, 1964).
#[inline]
fn pair(random: &mut Random) -> (f64, f64) {
    loop {
        let (x, y) = (2.0 * fraction(random) - 1.0, 2.0 * fraction(random) - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            let scale = (-2.0 * square.ln() / square).sqrt();
            return (x * scale, y * scale);
        }
    }
}
