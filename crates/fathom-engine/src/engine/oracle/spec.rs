//! The options of an oracle: `oracle_latency` and `oracle_stall`.

use crate::source::seed::Random;
use fathom_job::parse::read_time;
use fathom_job::units::Nanos;
use std::fmt::{self, Display};
use std::str::FromStr;

/// How long I/Os take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spec {
    /// All take the same time.
    Constant(Nanos),
    /// Most are fast, a share is slow.
    Bimodal {
        /// The latency of most I/Os.
        fast: Nanos,
        /// The latency of the others.
        slow: Nanos,
        /// The share of slow I/Os, 0 to 1.
        slow_share: f64,
    },
    /// A heavy tail: the share that takes longer than `x` is (smallest/x)^shape.
    /// With a shape below 2 the variance of the uncut distribution is infinite.
    Pareto {
        /// No latency is shorter.
        smallest: Nanos,
        /// How fast the tail falls.
        shape: f64,
    },
    /// The logarithm is normal.
    Lognormal {
        /// Half are shorter.
        median: Nanos,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
    },
    /// A device that does one I/O at a time, so that an I/O waits for all that
    /// were submitted before it.
    Queue(Nanos),
}

/// A span in which nothing completes, from the first I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// When it begins.
    pub start: Nanos,
    /// How long it lasts.
    pub length: Nanos,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SpecError(String);

/// The shapes that exist, for the message about another one.
const SHAPES: &str = "constant:TIME, bimodal:TIME:TIME:PERCENT%, pareto:TIME:SHAPE, lognormal:TIME:SIGMA or \
                      queue:TIME";

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Spec, SpecError> {
        let parts: Vec<&str> = text.split(':').collect();
        match parts.as_slice() {
            ["constant", each] => Ok(Spec::Constant(time(each)?)),
            ["bimodal", fast, slow, share] => {
                Ok(Spec::Bimodal { fast: time(fast)?, slow: time(slow)?, slow_share: percent(share)? })
            }
            ["pareto", smallest, shape] => {
                Ok(Spec::Pareto { smallest: time(smallest)?, shape: positive(shape)? })
            }
            ["lognormal", median, sigma] => {
                Ok(Spec::Lognormal { median: time(median)?, sigma: positive(sigma)? })
            }
            ["queue", service] => Ok(Spec::Queue(time(service)?)),
            _ => Err(SpecError(format!("`{text}` is none of {SHAPES}"))),
        }
    }
}

impl Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spec::Constant(each) => write!(f, "constant:{each}"),
            Spec::Bimodal { fast, slow, slow_share } => {
                write!(f, "bimodal:{fast}:{slow}:{}%", slow_share * 100.0)
            }
            Spec::Pareto { smallest, shape } => write!(f, "pareto:{smallest}:{shape}"),
            Spec::Lognormal { median, sigma } => write!(f, "lognormal:{median}:{sigma}"),
            Spec::Queue(service) => write!(f, "queue:{service}"),
        }
    }
}

impl FromStr for Stall {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Stall, SpecError> {
        let Some((start, length)) = text.split_once(':') else {
            return Err(SpecError(format!("`{text}` is not START:LENGTH, as in 2s:1s")));
        };
        Ok(Stall { start: time(start)?, length: time(length)? })
    }
}

fn time(text: &str) -> Result<Nanos, SpecError> {
    read_time(text, false).map_err(SpecError)
}

fn positive(text: &str) -> Result<f64, SpecError> {
    let number = text.parse::<f64>().ok().filter(|n| n.is_finite() && *n > 0.0);
    number.ok_or_else(|| SpecError(format!("`{text}` is not a number above 0")))
}

fn percent(text: &str) -> Result<f64, SpecError> {
    let number = text.strip_suffix('%').and_then(|n| n.parse::<f64>().ok());
    let within = number.filter(|n| (0.0..=100.0).contains(n)).map(|n| n / 100.0);
    within.ok_or_else(|| SpecError(format!("`{text}` is not a percentage from 0% to 100%")))
}

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

    #[test]
    fn every_shape_is_read() {
        let us = |n: u64| Nanos(n * 1000);
        let cases = [
            ("constant:100us", Spec::Constant(us(100))),
            ("constant:0", Spec::Constant(us(0))),
            ("bimodal:80us:2ms:1%", Spec::Bimodal { fast: us(80), slow: us(2000), slow_share: 0.01 }),
            ("pareto:50us:1.5", Spec::Pareto { smallest: us(50), shape: 1.5 }),
            ("lognormal:80us:0.5", Spec::Lognormal { median: us(80), sigma: 0.5 }),
            ("queue:50us", Spec::Queue(us(50))),
        ];
        for (text, spec) in cases {
            assert_eq!(text.parse(), Ok(spec), "{text}");
        }
        assert_eq!("2s:500ms".parse(), Ok(Stall { start: Nanos::millis(2000), length: Nanos::millis(500) }));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let cases = [
            ("constnat:1us", "`constnat:1us` is none of constant:TIME"),
            ("bimodal:1us:2us", "`bimodal:1us:2us` is none of"),
            ("bimodal:1us:2us:3", "`3` is not a percentage"),
            ("bimodal:1us:2us:101%", "`101%` is not a percentage"),
            ("pareto:1us:-1", "`-1` is not a number above 0"),
            ("lognormal:1us:inf", "`inf` is not a number above 0"),
            ("queue:1.5us", "`1.5us` is not a time"),
        ];
        for (text, part) in cases {
            let error = text.parse::<Spec>().expect_err(text).to_string();
            assert!(error.starts_with(part), "{text}: {error}");
        }
        assert_eq!("2s".parse::<Stall>().unwrap_err().to_string(), "`2s` is not START:LENGTH, as in 2s:1s");
    }

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
