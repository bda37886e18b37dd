//! Random numbers for simulations of the estimates: small, seeded, the same on every machine.

use crate::normal::normal_quantile;

/// SplitMix64 (Steele, Lea & Flood, OOPSLA 2014). It is good enough to simulate measurements with,
/// and the same seed gives the same numbers everywhere. It is not suitable for secrets.
#[derive(Debug, Clone)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator whose numbers depend on the seed alone.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform between 0 and 1, both excluded, with 53 bits.
    pub fn uniform(&mut self) -> f64 {
        ((self.next_bits() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Normal with mean 0 and variance 1.
    pub fn normal(&mut self) -> f64 {
        normal_quantile(self.uniform()).expect("a uniform number lies between 0 and 1")
    }

    /// A series of mean 0 and variance 1 in which each value has this correlation with the one
    /// before it (autoregressive of first order). It starts in its stationary distribution.
    pub fn autoregressive(&mut self, correlation: f64, length: usize) -> Vec<f64> {
        let fresh = (1.0 - correlation * correlation).sqrt();
        let mut value = self.normal();
        std::iter::repeat_with(|| {
            value = correlation * value + fresh * self.normal();
            value
        })
        .take(length)
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generator_matches_the_reference() {
        // First outputs for seed 1234567, as published with the reference implementation.
        let mut random = SplitMix64::new(1_234_567);
        assert_eq!(random.next_bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.next_bits(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn a_series_has_the_variance_and_the_correlation_that_were_asked_for() {
        let series = SplitMix64::new(7).autoregressive(0.8, 200_000);
        let n = series.len() as f64;
        let variance = series.iter().map(|v| v * v).sum::<f64>() / n;
        let products = series.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / n;
        assert!((variance - 1.0).abs() < 0.03 && (products - 0.8).abs() < 0.03, "{variance} {products}");
    }
}
