//! The latencies of an oracle, one after the other. The specification and the
//! seed determine all of them.

use super::spec::Spec;
use crate::source::seed::Random;

/// No latency is longer, ns: 100 s. A heavy tail has no largest value, and a
/// single draw could last longer than every run.
const LATENCY_NS_MAX: f64 = 100e9;

/// Latencies in the order in which I/Os are submitted, ns; there is no last one.
/// For a queue, the time that each I/O takes after the one before it has completed.
#[derive(Clone, Debug)]
pub struct Latencies {
    spec: Spec,
    random: Random,
}

impl Latencies {
    /// The latencies that belong to a seed.
    pub fn new(spec: &Spec, seed: u64) -> Latencies {
        Latencies { spec: *spec, random: Random::new(seed) }
    }

    /// Uniform in (0, 1], 53 bits.
    fn uniform(&mut self) -> f64 {
        ((self.random.bits() >> 11) + 1) as f64 * (-53f64).exp2()
    }

    /// Standard normal (Box and Muller 1958). The second of the pair is not
    /// used, so that each latency takes the same number of draws.
    fn normal(&mut self) -> f64 {
        let (radius, turn) = (self.uniform(), self.uniform());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * turn).cos()
    }

    fn draw(&mut self) -> u64 {
        match self.spec {
            Spec::Constant(each) | Spec::Queue(each) => each.0,
            Spec::Bimodal { fast, slow, slow_share } => {
                if self.uniform() <= slow_share {
                    slow.0
                } else {
                    fast.0
                }
            }
            Spec::Pareto { smallest, shape } => {
                at_most(smallest.0 as f64 * self.uniform().powf(-1.0 / shape))
            }
            Spec::Lognormal { median, sigma } => at_most(median.0 as f64 * (sigma * self.normal()).exp()),
        }
    }
}

fn at_most(ns: f64) -> u64 {
    ns.min(LATENCY_NS_MAX) as u64
}

impl Iterator for Latencies {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        Some(self.draw())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(text: &str, count: usize) -> Vec<u64> {
        let mut all: Vec<u64> = Latencies::new(&text.parse().unwrap(), 7).take(count).collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn a_seed_gives_one_sequence() {
        let spec: Spec = "pareto:50us:1.5".parse().unwrap();
        let of = |seed| Latencies::new(&spec, seed).take(100).collect::<Vec<_>>();
        assert_eq!(of(3), of(3));
        assert_ne!(of(3), of(4));
    }

    #[test]
    fn quantiles_are_those_of_the_distribution() {
        // 100,000 draws: the median of the lognormal is known to about 0.2 %,
        // the 99th percentile of the tail to about 2 %.
        let near = |got: u64, exact: f64, share: f64| (got as f64 / exact - 1.0).abs() < share;
        let normal = sorted("lognormal:80us:0.5", 100_000);
        assert!(near(normal[50_000], 80_000.0, 0.01), "{}", normal[50_000]);
        assert!(near(normal[84_134], 80_000.0 * 0.5f64.exp(), 0.01), "{}", normal[84_134]);
        let heavy = sorted("pareto:50us:1.5", 100_000);
        assert!(heavy[0] >= 50_000 && near(heavy[99_000], 50_000.0 * 100f64.powf(1.0 / 1.5), 0.05));
        let two = sorted("bimodal:80us:2ms:1%", 100_000);
        let slow = two.iter().filter(|&&ns| ns == 2_000_000).count() as u64;
        let (low, high) = fathom_stats::binomial_bounds(100_000, 0.01, 0.999_9).unwrap();
        assert!((low..=high).contains(&slow), "{slow}");
    }

    #[test]
    fn the_heaviest_tail_is_cut() {
        assert_eq!(sorted("pareto:1s:0.1", 10_000).last(), Some(&100_000_000_000));
    }
}
