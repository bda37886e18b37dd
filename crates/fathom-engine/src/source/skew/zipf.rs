//! Zipf: rank k has a weight of 1 ÷ k^θ.
//!
//! Rejection-inversion (W. Hörmann, G. Derflinger: "Rejection-inversion to generate variates from monotone
//! discrete distributions", ACM TOMACS 6(3), 1996). It is exact for any number of ranks and keeps no table:
//! the integral of the weights is inverted, the result is rounded to a rank, and a draw that lies in the
//! rounding's error is rejected.

use super::fraction;
use crate::source::seed::Random;

/// Draws ranks.
#[derive(Clone, Debug)]
pub struct Zipf {
    ranks: u64,
    theta: f64,
    /// The integral up to half a rank beyond the last one.
    end: f64,
    /// From there to the integral at which the first rank begins; not positive.
    span: f64,
    /// A rank that exceeds the inverted value by no more than this needs no further test.
    sure: f64,
}

impl Zipf {
    /// `theta` from 0.
    pub fn new(ranks: u64, theta: f64) -> Zipf {
        let mut zipf = Zipf { ranks, theta, end: 0.0, span: 0.0, sure: 0.0 };
        zipf.end = zipf.integral(ranks as f64 + 0.5);
        zipf.span = zipf.integral(1.5) - 1.0 - zipf.end;
        zipf.sure = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.weight(2.0));
        zipf
    }

    /// A rank from 0.
    #[inline]
    pub fn rank(&self, random: &mut Random) -> u64 {
        loop {
            let u = self.end + fraction(random) * self.span;
            let x = self.inverse(u);
            let k = ((x + 0.5) as u64).clamp(1, self.ranks);
            let rank = k as f64;
            if rank - x <= self.sure || u >= self.integral(rank + 0.5) - self.weight(rank) {
                return k - 1;
            }
        }
    }

    fn weight(&self, x: f64) -> f64 {
        x.powf(-self.theta)
    }

    /// The integral of the weight from 1 to `x`.
    fn integral(&self, x: f64) -> f64 {
        let (q, log) = (1.0 - self.theta, x.ln());
        if q == 0.0 { log } else { (q * log).exp_m1() / q }
    }

    /// The `x` at which the integral is `y`.
    #[inline]
    fn inverse(&self, y: f64) -> f64 {
        let q = 1.0 - self.theta;
        if q == 0.0 { y.exp() } else { ((q * y).max(-1.0).ln_1p() / q).exp() }
    }
}
