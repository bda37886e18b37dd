//! A histogram in as few bytes as a saved run can afford.
//!
//! ```text
//! buckets                         how many have values; nothing follows 0
//! first, min, max                 index of the first bucket; both extremes, from the low edges of theirs
//! sum, sum of squares             all of these as varints
//! then for each 32 buckets, in bits:
//!   4 bits   parameter of the counts' codes
//!   4 bits   parameter of the gaps' codes; 15: no bucket is left out
//!   each     the gap, which is how many buckets before it are empty; and the count
//! ```
//! The counts of neighbours are alike: if about `c` I/Os are expected in a bucket, its count differs from
//! the expected one by some √c. So what is written of a count is how far it is from the mean of the two counts
//! before, as a Rice code (`bits`). A second of 11,000 I/Os in 540 buckets takes some 330 bytes; if its counts
//! varied by chance alone and the mean of each were known, 260 bytes would do. Deflate needs 540, and is slower
//! to read.
//!
//! What follows from the buckets (the number of values, which bucket an extreme is in) is not
//! written, so it cannot be contradicted.

use crate::bits::{BitReader, BitWriter, RICE_LEN_MAX, RICE_MAX};
use crate::bucket::{OVERFLOW, bounds, index_of};
use crate::sparse::{SparseError, SparseHistogram};
use crate::{Moments, varint};
use std::hint::select_unpredictable;

/// Buckets that share the parameters of their codes.
const BLOCK: usize = 32;

/// In place of a parameter: all gaps are 0.
const NO_GAPS: u32 = 15;

/// Counts beyond this are as likely as any, and predict nothing.
const LIKELY_MAX: u64 = 1 << 62;

/// The two counts before, each less one.
#[derive(Clone, Copy, Default)]
struct Before(u64, u64);

impl Before {
    #[inline(always)]
    fn expected(self) -> u64 {
        ((self.0 & self.1) + ((self.0 ^ self.1) >> 1)).min(LIKELY_MAX)
    }

    /// A count as its distance from the expected one. Distances on both sides alternate, until one side
    /// ends at 0.
    #[inline(always)]
    fn fold(&mut self, count: u64) -> u64 {
        let expected = self.expected();
        *self = Before(count, self.0);
        match count.checked_sub(expected) {
            Some(above) if above > expected => count,
            Some(above) => 2 * above,
            None => 2 * (expected - count) - 1,
        }
    }

    /// Which side a count is on is random, so nothing here is a jump.
    #[inline(always)]
    fn unfold(&mut self, folded: u64) -> u64 {
        let expected = self.expected();
        let is_below = folded & 1;
        // −(folded + 1) / 2 where it is odd.
        let distance = ((folded >> 1) + is_below) ^ is_below.wrapping_neg();
        let near = expected.wrapping_add(distance).wrapping_add(is_below);
        let count = select_unpredictable(folded > 2 * expected, folded, near);
        *self = Before(count, self.0);
        count
    }
}

/// The parameter with which numbers take the fewest bits.
fn best(numbers: &[u64]) -> u32 {
    let mean = numbers.iter().fold(0, |sum: u64, n| sum.saturating_add(*n)) / numbers.len().max(1) as u64;
    let near = mean.checked_ilog2().unwrap_or(0).min(RICE_MAX);
    let zeros = |k: u32| numbers.iter().map(|number| (number >> k).min(u64::from(RICE_LEN_MAX))).sum::<u64>();
    let len = |k: &u32| zeros(*k) + numbers.len() as u64 * u64::from(*k);
    (near.saturating_sub(1)..=(near + 1).min(RICE_MAX)).min_by_key(len).unwrap_or(near)
}

impl SparseHistogram {
    /// Appends the packed form, of which [`Self::unpack`] must know the end.
    pub fn pack(&self, to: &mut Vec<u8>) {
        let (_, sum, sum_squares, min, max) = self.totals().parts();
        let steps = self.steps();
        varint::put(steps.len() as u128, to);
        let Some((first, _)) = steps.first() else { return };
        let [min_low, max_low] = [min, max].map(|ns| bounds(index_of(ns)).0);
        for number in [(*first).into(), (min - min_low).into(), (max - max_low).into(), sum, sum_squares] {
            varint::put(number, to);
        }
        let mut bits = BitWriter::new(to);
        let mut before = Before::default();
        for (place, block) in steps.chunks(BLOCK).enumerate() {
            let (mut gaps, mut counts) = ([0; BLOCK], [0; BLOCK]);
            for (at, (step, count)) in block.iter().enumerate() {
                gaps[at] = if place + at == 0 { 0 } else { u64::from(*step) - 1 };
                counts[at] = before.fold(count - 1);
            }
            pack_block(&gaps[..block.len()], &counts[..block.len()], &mut bits);
        }
        bits.finish();
    }

    /// Reads a packed form into this histogram, whose memory it uses again.
    ///
    /// # Errors
    /// No histogram has this packed form. This one is empty then.
    pub fn unpack(&mut self, bytes: &[u8]) -> Result<(), SparseError> {
        let mut steps = std::mem::take(self).into_steps();
        steps.clear();
        let totals = unpack(bytes, &mut steps).ok_or(SparseError)?;
        *self = SparseHistogram::of_parts(totals, steps);
        Ok(())
    }
}

fn pack_block(gaps: &[u64], counts: &[u64], bits: &mut BitWriter<'_>) {
    let has_gaps = gaps.iter().any(|gap| *gap > 0);
    let of_counts = best(counts);
    let of_gaps = if has_gaps { best(gaps) } else { NO_GAPS };
    bits.put(u64::from(of_counts), 4);
    bits.put(u64::from(of_gaps), 4);
    for (gap, count) in gaps.iter().zip(counts) {
        if has_gaps {
            bits.rice(*gap, of_gaps);
        }
        bits.rice(*count, of_counts);
    }
}

/// The totals; the buckets go to `steps`.
fn unpack(mut bytes: &[u8], steps: &mut Vec<(u16, u64)>) -> Option<Moments> {
    let from = &mut bytes;
    let buckets = usize::try_from(varint::take(from)?).ok()?;
    if buckets == 0 {
        return from.is_empty().then(Moments::new);
    }
    let first = varint::take(from)?;
    let (min_above, max_above) = (varint::take(from)?, varint::take(from)?);
    let (sum, sum_squares) = (varint::take_wide(from)?, varint::take_wide(from)?);
    // A bucket takes a bit at least, so a damaged number asks for no more memory than it has bytes.
    if first > OVERFLOW as u64 || buckets > 8 * from.len() || buckets > OVERFLOW + 1 {
        return None;
    }
    let (last, n) = unpack_buckets(from, first, buckets, steps)?;
    let within = |index: u64, above: u64| {
        let (low, high) = bounds(index as usize);
        low.checked_add(above).filter(|ns| *ns <= high)
    };
    let (min, max) = (within(first, min_above)?, within(last, max_above)?);
    let is_possible =
        min <= max && (u128::from(min) * u128::from(n)..=u128::from(max) * u128::from(n)).contains(&sum);
    is_possible.then_some(Moments::from_parts((n, sum, sum_squares, min, max)))
}

/// Buckets as they are read.
struct Reading<'a> {
    steps: &'a mut Vec<(u16, u64)>,
    before: Before,
    /// Values so far.
    n: u64,
    /// Index of the last bucket.
    last: u64,
}

impl Reading<'_> {
    #[inline(always)]
    fn push(&mut self, step: u64, folded: u64) -> Option<()> {
        let count = self.before.unfold(folded).checked_add(1)?;
        self.n = self.n.checked_add(count)?;
        self.last = self.last.wrapping_add(step);
        self.steps.push((step as u16, count));
        Some(())
    }
}

/// The index of the last bucket, and the values in all.
fn unpack_buckets(
    from: &[u8],
    first: u64,
    buckets: usize,
    steps: &mut Vec<(u16, u64)>,
) -> Option<(u64, u64)> {
    if steps.capacity() > 4 * buckets + BLOCK {
        // Memory that is used again stays near what is needed.
        *steps = Vec::new();
    }
    steps.reserve_exact(buckets);
    let mut bits = BitReader::new(from);
    // The first bucket is one after the place where the gaps begin.
    let mut reading = Reading { steps, before: Before::default(), n: 0, last: first.wrapping_sub(1) };
    for start in (0..buckets).step_by(BLOCK) {
        unpack_block(BLOCK.min(buckets - start), &mut bits, &mut reading)?;
    }
    let Reading { n, last, .. } = reading;
    steps[0].0 = first as u16;
    (bits.is_at_end() && last <= OVERFLOW as u64).then_some((last, n))
}

#[inline(always)]
fn unpack_block(buckets: usize, bits: &mut BitReader<'_>, reading: &mut Reading<'_>) -> Option<()> {
    let of_counts = bits.take(4) as u32;
    let of_gaps = bits.take(4) as u32;
    if of_counts > RICE_MAX {
        return None;
    }
    if of_gaps != NO_GAPS {
        for _ in 0..buckets {
            bits.refill();
            let gap = bits.rice(of_gaps).filter(|gap| *gap < OVERFLOW as u64)?;
            reading.push(gap + 1, bits.rice(of_counts)?)?;
        }
        return Some(());
    }
    for _ in 0..buckets / 2 {
        bits.refill();
        reading.push(1, bits.rice(of_counts)?)?;
        reading.push(1, bits.rice(of_counts)?)?;
    }
    if !buckets.is_multiple_of(2) {
        bits.refill();
        reading.push(1, bits.rice(of_counts)?)?;
    }
    Some(())
}
