//! Draws the size of the next block.

use super::seed::Random;
use fathom_job::plan::BlockSizes;

/// Most sizes whose draws are counted. The counts of a range from a byte to
/// gibibytes would take more memory than a machine has.
const COUNTED_MAX: u64 = 1 << 16;

/// Draws block sizes of one direction and counts them.
#[derive(Clone, Debug)]
pub struct SizeMix {
    kind: Kind,
    /// Draws per entry of `kind`, in its order; empty if there are too many entries.
    drawn: Vec<u64>,
}

#[derive(Clone, Debug)]
enum Kind {
    Fixed(u64),
    /// Multiples of `low` up to and including `high`.
    Range {
        low: u64,
        steps: u64,
    },
    /// Pairs of size and cumulative percent.
    Split(Vec<(u64, u32)>),
    /// Any byte count in the range (`bs_unaligned`).
    Bytes {
        low: u64,
        high: u64,
    },
}

impl SizeMix {
    /// The sizes of a plan. With `unaligned`, any size of a range is drawn, also one that
    /// is not a multiple of the smallest.
    pub fn new(sizes: &BlockSizes, unaligned: bool) -> Self {
        let kind = match sizes {
            BlockSizes::Fixed(b) => Kind::Fixed(b.0),
            BlockSizes::Range { low, high } if unaligned => Kind::Bytes { low: low.0, high: high.0 },
            BlockSizes::Range { low, high } => Kind::Range { low: low.0, steps: high.0 / low.0.max(1) },
            BlockSizes::Split(entries) => {
                let mut sum = 0;
                Kind::Split(
                    entries
                        .iter()
                        .map(|(b, p)| {
                            (b.0, {
                                sum += u32::from(*p);
                                sum
                            })
                        })
                        .collect(),
                )
            }
        };
        let places = match &kind {
            Kind::Range { steps, .. } if *steps <= COUNTED_MAX => *steps as usize,
            Kind::Split(entries) => entries.len(),
            _ => 0,
        };
        SizeMix { kind, drawn: vec![0; places] }
    }

    pub fn fixed(&self) -> Option<u64> {
        match self.kind {
            Kind::Fixed(b) => Some(b),
            _ => None,
        }
    }

    #[inline]
    pub fn draw(&mut self, random: &mut Random) -> u64 {
        match &self.kind {
            Kind::Fixed(b) => *b,
            Kind::Range { low, steps } => {
                let step = random.below(*steps);
                if let Some(drawn) = self.drawn.get_mut(step as usize) {
                    *drawn += 1;
                }
                low * (step + 1)
            }
            Kind::Bytes { low, high } => low + random.below(high - low + 1),
            Kind::Split(entries) => {
                let point = random.below(u64::from(entries.last().map_or(1, |e| e.1))) as u32;
                let at = entries.partition_point(|(_, sum)| *sum <= point).min(entries.len() - 1);
                self.drawn[at] += 1;
                entries[at].0
            }
        }
    }

    /// Pairs of size and draws so far, sorted by size, if the size varies and is counted.
    pub fn drawn(&self) -> Vec<(u64, u64)> {
        let size = |at: usize| match &self.kind {
            Kind::Split(entries) => entries[at].0,
            Kind::Range { low, .. } => low * (at as u64 + 1),
            Kind::Fixed(b) | Kind::Bytes { low: b, .. } => *b,
        };
        let drawn = self.drawn.iter().enumerate().filter(|(_, n)| **n > 0);
        let mut drawn: Vec<(u64, u64)> = drawn.map(|(at, n)| (size(at), *n)).collect();
        drawn.sort_unstable();
        drawn
    }

    /// Starts counting again (the ramp is over).
    pub fn forget(&mut self) {
        self.drawn.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_job::units::Bytes;

    fn check(sizes: BlockSizes, expected: &[(u64, f64)]) {
        let mut mix = SizeMix::new(&sizes, false);
        let mut random = Random::new(5);
        for _ in 0..100_000 {
            mix.draw(&mut random);
        }
        let drawn = mix.drawn();
        assert_eq!(
            drawn.iter().map(|d| d.0).collect::<Vec<_>>(),
            expected.iter().map(|e| e.0).collect::<Vec<_>>()
        );
        let counts: Vec<u64> = drawn.iter().map(|d| d.1).collect();
        let weights: Vec<f64> = expected.iter().map(|e| e.1).collect();
        let p = crate::fixture::fit_p_value(&counts, &weights);
        assert!(p > 0.001, "{sizes:?}: p = {p}");
    }

    #[test]
    fn splits_follow_their_percents() {
        let split = [(1024, 10), (4096, 80), (16384, 10)].map(|(b, p)| (Bytes(b), p)).to_vec();
        check(BlockSizes::Split(split), &[(1024, 0.1), (4096, 0.8), (16384, 0.1)]);
    }

    #[test]
    fn ranges_are_uniform_over_multiples_of_the_smallest() {
        let sizes: Vec<(u64, f64)> = (1..=16).map(|n| (n * 1024, 1.0 / 16.0)).collect();
        check(BlockSizes::Range { low: Bytes(1024), high: Bytes(16384) }, &sizes);
    }
}
