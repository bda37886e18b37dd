//! Draws the size of the next block, and counts the sizes that are sent: an I/O is shorter than drawn where less of the
//! random map or of the file is free.

use super::seed::Random;
use fathom_job::plan::BlockSizes;

/// Most sizes that are counted. The counts of a range from a byte to
/// gibibytes would take more memory than a machine has.
const COUNTED_MAX: u64 = 1 << 16;

/// Draws block sizes of one direction, and counts those of its I/Os.
#[derive(Clone, Debug)]
pub struct SizeMix {
    kind: Kind,
    /// The largest size of which all sizes are multiples.
    unit: u64,
    /// I/Os of one unit, of two units, …; empty if the size is fixed, or if there are too many sizes.
    sent: Vec<u64>,
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
        let (unit, largest) = match &kind {
            Kind::Range { low, steps } => (*low, low * steps),
            Kind::Split(entries) => {
                let sizes = || entries.iter().map(|(size, _)| *size);
                (sizes().fold(0, greatest_divisor), sizes().max().unwrap_or(0))
            }
            Kind::Fixed(_) | Kind::Bytes { .. } => (1, 0),
        };
        let units = largest / unit.max(1);
        let places = if units <= COUNTED_MAX { units as usize } else { 0 };
        SizeMix { kind, unit: unit.max(1), sent: vec![0; places] }
    }

    pub fn fixed(&self) -> Option<u64> {
        match self.kind {
            Kind::Fixed(b) => Some(b),
            _ => None,
        }
    }

    #[inline]
    pub fn draw(&self, random: &mut Random) -> u64 {
        match &self.kind {
            Kind::Fixed(b) => *b,
            Kind::Range { low, steps } => low * (random.below(*steps) + 1),
            Kind::Bytes { low, high } => low + random.below(high - low + 1),
            Kind::Split(entries) => {
                let point = random.below(u64::from(entries.last().map_or(1, |e| e.1))) as u32;
                let at = entries.partition_point(|(_, sum)| *sum <= point).min(entries.len() - 1);
                entries[at].0
            }
        }
    }

    /// Counts an I/O of `len` bytes. One that is not of whole units, such as the last of a file, is not counted.
    #[inline]
    pub fn count(&mut self, len: u64) {
        if self.sent.is_empty() || !len.is_multiple_of(self.unit) {
            return;
        }
        if let Some(sent) = (len / self.unit).checked_sub(1).and_then(|at| self.sent.get_mut(at as usize)) {
            *sent += 1;
        }
    }

    /// Pairs of size and I/Os so far, sorted by size, if the size varies and is counted.
    pub fn sent(&self) -> Vec<(u64, u64)> {
        let sent = self.sent.iter().enumerate().filter(|(_, n)| **n > 0);
        sent.map(|(at, n)| (self.unit * (at as u64 + 1), *n)).collect()
    }

    /// Starts counting again (the ramp is over).
    pub fn forget(&mut self) {
        self.sent.fill(0);
    }
}

fn greatest_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_job::units::Bytes;

    fn check(sizes: BlockSizes, expected: &[(u64, f64)]) {
        let mut mix = SizeMix::new(&sizes, false);
        let mut random = Random::new(5);
        for _ in 0..100_000 {
            let len = mix.draw(&mut random);
            mix.count(len);
        }
        let drawn = mix.sent();
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

    #[test]
    fn what_is_sent_is_counted_and_not_what_is_drawn() {
        let split = BlockSizes::Split([(4096, 50), (6144, 50)].map(|(b, p)| (Bytes(b), p)).to_vec());
        let mut mix = SizeMix::new(&split, false);
        [2048, 4096, 4096, 6144, 512, 8192, 0].into_iter().for_each(|len| mix.count(len));
        assert_eq!(mix.sent(), [(2048, 1), (4096, 2), (6144, 1)]);
        mix.forget();
        assert_eq!(mix.sent(), []);
        let mut fixed = SizeMix::new(&BlockSizes::Fixed(Bytes(4096)), false);
        fixed.count(4096);
        assert_eq!(fixed.sent(), []);
    }
}
