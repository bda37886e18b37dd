//! Zipf: rank k has a weight of 1 ÷ k^θ, exactly, for any number of ranks.
//!
//! The ranks are divided into bands, each of which has a sixteenth of the ranks before it. A band is drawn by the alias
//! method (Walker 1977, Vose 1991) with the weight that it would have if all its ranks had that of its first
//! one; then a rank of the band; and a rank is rejected by as much as its own weight is less than that of the first.
//! Nearly all draws are below the smallest weight of the band and need no power. Rejection-inversion
//! (Hörmann and Derflinger 1996) draws from the same distribution, but each draw takes a logarithm and an
//! exponential: three times the instructions.

use crate::source::seed::Random;
use std::sync::Arc;

/// Draws ranks. Clones share the table.
#[derive(Clone, Debug)]
pub struct Zipf {
    ranks: u64,
    theta: f64,
    bands: Arc<[Band]>,
}

/// Ranks in a row.
#[derive(Clone, Copy, Debug)]
struct Band {
    /// First rank, from 0.
    first: u64,
    count: u64,
    /// The weight of the first rank.
    weight: f64,
    /// A draw below this, of 2^64, is less than the weight of the last rank, where that of the first is 1.
    sure: u64,
    /// A draw below this, of 2^64, stays in this band; others go to `alias`.
    keep: u64,
    alias: u32,
}

/// A band has this part of the number of ranks before it. Smaller parts mean more bands and fewer rejections.
const PART: u64 = 16;

/// 2^64.
const WHOLE: f64 = 18_446_744_073_709_551_616.0;

impl Zipf {
    /// `theta` from 0.
    pub fn new(ranks: u64, theta: f64) -> Zipf {
        let mut zipf = Zipf { ranks, theta, bands: Arc::new([]) };
        let mut bands = Vec::new();
        let mut first = 0;
        while first < ranks {
            let count = (first / PART).max(1).min(ranks - first);
            let weight = zipf.weight(first);
            let sure = match count {
                1 => u64::MAX,
                _ => (zipf.weight(first + count - 1) / weight * WHOLE) as u64,
            };
            bands.push(Band { first, count, weight, sure, keep: u64::MAX, alias: bands.len() as u32 });
            first += count;
        }
        let weights: Vec<f64> = bands.iter().map(|band| band.count as f64 * band.weight).collect();
        pair(&mut bands, &weights);
        zipf.bands = bands.into();
        zipf
    }

    /// The same for another file of the job, whose exponent is the same. The table is made once for files of
    /// one size.
    pub fn with_ranks(&self, ranks: u64) -> Zipf {
        if self.ranks == ranks { self.clone() } else { Zipf::new(ranks, self.theta) }
    }

    /// A rank from 0.
    #[inline(always)]
    pub fn rank(&self, random: &mut Random) -> u64 {
        loop {
            let (index, part) = split(random.bits(), self.bands.len() as u64);
            let mut band = &self.bands[index as usize];
            if part >= band.keep {
                band = &self.bands[band.alias as usize];
            }
            let (within, part) = split(random.bits(), band.count);
            let rank = band.first + within;
            if part <= band.sure || self.keeps(rank, part, band.weight) {
                return rank;
            }
        }
    }

    /// Is the weight of a rank above this draw, of 2^64, from 0 to the weight of its band?
    #[cold]
    fn keeps(&self, rank: u64, draw: u64, weight: f64) -> bool {
        draw as f64 / WHOLE * weight < self.weight(rank)
    }

    fn weight(&self, rank: u64) -> f64 {
        ((rank + 1) as f64).powf(-self.theta)
    }
}

/// A number below `count`, and what is left of the draw: uniform in 64 bits.
#[inline(always)]
fn split(bits: u64, count: u64) -> (u64, u64) {
    let product = u128::from(bits) * u128::from(count);
    ((product >> 64) as u64, product as u64)
}

/// Vose's alias method: each band keeps a part of its draws and gives the others to one other band, so that
/// every band is drawn as often as its weight says.
fn pair(bands: &mut [Band], weights: &[f64]) {
    let mean = weights.iter().rev().sum::<f64>() / weights.len() as f64;
    let mut left: Vec<f64> = weights.iter().map(|weight| weight / mean).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..left.len()).partition(|at| left[*at] < 1.0);
    while let (Some(low), Some(high)) = (small.pop(), large.pop()) {
        bands[low].keep = (left[low] * WHOLE) as u64;
        bands[low].alias = high as u32;
        left[high] -= 1.0 - left[low];
        if left[high] < 1.0 { small.push(high) } else { large.push(high) }
    }
}
