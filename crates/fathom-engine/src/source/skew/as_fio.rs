//! fio's formulas for zipf, pareto and normal (`compat=fio`), for comparisons with its results.
//!
//! They are approximations. The uniform number has 32 bits. The sum of the weights of zipf ends after ten
//! million ranks. A product with a constant, modulo the number of places, decides the place of a rank: where
//! that number is no power of two, ranks share places, and other places have none. All of this was
//! checked against fio 3.33.

use crate::source::permutation::split_mix;
use crate::source::seed::Random;
use fathom_job::distribution::Distribution;

/// The factor of fio's hash: 2^64 ÷ golden ratio, the one of Knuth's multiplicative hashing, negated.
const GOLDEN: u64 = 0x61c8_8646_80b5_83eb;
/// Ranks in the sum of zipf's weights, at most.
const RANKS_MAX: u64 = 10_000_000;
/// Uniform draws of which a normal one is the mean.
const DRAWS: u64 = 12;

#[derive(Clone, Debug)]
pub struct FioSkew {
    formula: Formula,
    /// A rank times this is its hash.
    factor: u64,
    places: u64,
    /// Added to the hash of a rank, before the remainder is taken.
    offset: u64,
}

#[derive(Clone, Copy, Debug)]
enum Formula {
    /// Gray and others: "Quickly generating billion-record synthetic databases", SIGMOD 1994.
    Zipf {
        zeta: f64,
        second: f64,
        eta: f64,
        alpha: f64,
    },
    Pareto {
        power: f64,
    },
    /// Width of the uniform number that is added.
    Normal {
        width: u64,
    },
}

impl FioSkew {
    /// The draws of a distribution that is neither uniform nor zoned.
    pub fn new(distribution: &Distribution, places: u64, seed: u64) -> FioSkew {
        let share = |fraction: f64| (places as f64 * fraction) as u64;
        let mut state = seed;
        let mut from = |center: &Option<f64>| center.map_or_else(|| split_mix(&mut state) >> 32, share);
        let (formula, offset) = match distribution {
            Distribution::Zipf { theta, center } => (zipf(places, *theta), from(center)),
            Distribution::Pareto { h, center } => {
                (Formula::Pareto { power: h.ln() / (1.0 - h).ln() }, from(center))
            }
            Distribution::Normal { deviation, center } => {
                let width = (places as f64 * deviation.unwrap_or(0.0) / 100.0).ceil() as u64;
                // fio keeps a negative offset as an unsigned number of 32 bits.
                let offset = (places as f64 * (center - 0.5)) as i64 as u32;
                (Formula::Normal { width: width.min(places / 2) }, offset.into())
            }
            Distribution::Uniform | Distribution::Zoned(_) | Distribution::Sequence(_) => {
                (Formula::Pareto { power: 1.0 }, 0)
            }
        };
        FioSkew { formula, factor: GOLDEN, places, offset }
    }

    /// The same, but the places are in the order of their ranks.
    pub fn in_order(distribution: &Distribution, places: u64, seed: u64) -> FioSkew {
        FioSkew { factor: 1, ..FioSkew::new(distribution, places, seed) }
    }

    #[inline]
    pub fn place(&self, random: &mut Random) -> u64 {
        let places = self.places as f64;
        let rank = match self.formula {
            Formula::Zipf { zeta, second, eta, alpha } => {
                let u = fraction(random);
                match u * zeta {
                    z if z < 1.0 => 0,
                    z if z < second => 1,
                    _ => (places * (eta * u - eta + 1.0).powf(alpha)) as u64,
                }
            }
            Formula::Pareto { power } => ((places - 1.0) * fraction(random).powf(power)) as u64,
            Formula::Normal { width } => self.normal(width, random),
        };
        rank.wrapping_mul(self.factor).wrapping_add(self.offset) % self.places
    }

    fn normal(&self, width: u64, random: &mut Random) -> u64 {
        let sum: u64 = (0..DRAWS).map(|_| (random.bits() >> 32) % (self.places + 1)).sum();
        let mean = sum.div_ceil(DRAWS);
        let mut deviation = match width {
            0 => 0,
            _ => {
                ((width as f64 * (random.bits() >> 32) as f64 / 4_294_967_296.0) as i64) - (width / 2) as i64
            }
        };
        let is_inside = |rank: Option<u64>| rank.is_some_and(|rank| rank < self.places);
        while deviation != 0 && !is_inside(mean.checked_add_signed(deviation)) {
            deviation /= 2;
        }
        mean.saturating_add_signed(deviation)
    }
}

/// From 0 up to and including 1, in 32 bits.
#[inline(always)]
fn fraction(random: &mut Random) -> f64 {
    (random.bits() >> 32) as f64 / f64::from(u32::MAX)
}

fn zipf(places: u64, theta: f64) -> Formula {
    let zeta = zeta(0, places.min(RANKS_MAX), theta);
    let second = 1.0 + 0.5f64.powf(theta);
    let eta = (1.0 - (2.0 / places as f64).powf(1.0 - theta)) / (1.0 - second / zeta);
    Formula::Zipf { zeta, second, eta, alpha: 1.0 / (1.0 - theta) }
}

/// The sum of the weights of the ranks after `from` up to and with `upto`: the first of all ranks added up, the others
/// by the formula of Euler and Maclaurin, whose error is below 10^-13 here.
pub(super) fn zeta(from: u64, upto: u64, theta: f64) -> f64 {
    const ADDED: u64 = 256;
    let added: f64 = (from + 1..=upto.min(ADDED)).map(|k| (k as f64).powf(-theta)).sum();
    if upto <= ADDED {
        return added;
    }
    let (a, b, q) = (from.max(ADDED) as f64, upto as f64, 1.0 - theta);
    let integral = a.powf(q) * (q * (b / a).ln()).exp_m1() / q;
    let ends = (b.powf(-theta) - a.powf(-theta)) / 2.0;
    let slopes = theta * (a.powf(-theta - 1.0) - b.powf(-theta - 1.0)) / 12.0;
    added + integral + ends + slopes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_of_weights_is_that_of_its_terms() {
        for theta in [0.0, 0.5, 0.999, 1.1, 2.5] {
            for ranks in [1, 256, 257, 100_000] {
                let terms: f64 = (1..=ranks).rev().map(|k| (k as f64).powf(-theta)).sum();
                for middle in [0, ranks / 3, ranks] {
                    let sum = zeta(0, middle, theta) + zeta(middle, ranks, theta);
                    let error = (sum / terms - 1.0).abs();
                    assert!(error < 1e-12, "theta {theta}, {ranks} ranks: {error:e}");
                }
            }
        }
    }
}
