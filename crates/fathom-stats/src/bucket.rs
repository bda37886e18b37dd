//! The bucket layout: which bucket a latency belongs to.
//!
//! Below 256 ns every nanosecond has its own bucket. Above, each octave [2^k, 2^(k+1)) is cut into
//! 128 equal buckets, so half a bucket is at most 1/256 (0.39 %) of the value: twice as fine as
//! fio's 64 per octave. The layout ends at 2^40 ns (18.3 minutes), while fio's ends at 17.18 s, which
//! failing devices exceed. Every slower latency is counted in one last bucket.
//!
//! The layout is in nanoseconds, not clock ticks, and has no parameters: any two histograms from
//! any two hosts add up bucket by bucket.

/// Leading bits of a value that its bucket keeps: 2^7 = 128 buckets per octave.
const KEPT_BITS: u32 = 7;

/// The first value, in nanoseconds, that is only counted in the last bucket: 2^40 ns, 18.3 minutes.
pub const CEILING_NS: u64 = 1 << 40;

/// Index of the bucket for values of [`CEILING_NS`] and more.
pub(crate) const OVERFLOW: usize = raw_index(CEILING_NS);

/// How many buckets a histogram has, the overflow bucket included.
pub const BUCKETS: usize = OVERFLOW + 1;

/// One non-empty bucket of a histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bucket {
    /// Smallest value that falls into the bucket, in nanoseconds.
    pub low_ns: u64,
    /// Largest value that falls into the bucket, in nanoseconds; for the overflow bucket, the
    /// largest value seen.
    pub high_ns: u64,
    /// Values recorded in the bucket.
    pub count: u64,
}

/// The layout's formula without its ceiling.
///
/// Setting bit 7 fixes the exponent of small values at 7, which makes the shift 0 and the index the
/// value itself: the exact buckets need no branch of their own.
#[inline]
const fn raw_index(ns: u64) -> usize {
    let exponent = 63 - (ns | (1 << KEPT_BITS)).leading_zeros();
    let shift = exponent - KEPT_BITS;
    ((shift as usize) << KEPT_BITS) + (ns >> shift) as usize
}

/// The bucket of a value.
///
/// The formula grows with its argument, so a single `min` both collects the values beyond the
/// ceiling and shows the compiler that the index is in bounds.
#[inline]
pub(crate) fn index_of(ns: u64) -> usize {
    raw_index(ns).min(OVERFLOW)
}

/// Smallest and largest value of a bucket, both inclusive.
pub(crate) fn bounds(index: usize) -> (u64, u64) {
    let shift = (index >> KEPT_BITS).saturating_sub(1);
    let low = ((index - (shift << KEPT_BITS)) as u64) << shift;
    match index {
        OVERFLOW => (low, u64::MAX),
        _ => (low, low + ((1 << shift) - 1)),
    }
}

/// The one value that is reported for a bucket: its middle, limited to the values that were seen.
/// For the overflow bucket, whose middle means nothing, it is the maximum.
pub(crate) fn reported(index: usize, min: u64, max: u64) -> u64 {
    if index == OVERFLOW {
        return max;
    }
    let (low, high) = bounds(index);
    (low + (high - low) / 2).clamp(min, max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_has_the_published_size() {
        // 256 exact buckets, then 128 for each of the octaves 2^8 .. 2^39, then overflow.
        assert_eq!(BUCKETS, 256 + 32 * 128 + 1);
        assert_eq!(BUCKETS * 8, 34_824);
    }

    #[test]
    fn buckets_tile_the_range_without_gap_or_overlap() {
        let mut next = 0;
        for index in 0..BUCKETS {
            let (low, high) = bounds(index);
            assert_eq!(low, next, "bucket {index} starts where the one before ended");
            assert_eq!(index_of(low), index);
            assert_eq!(index_of(high), index);
            next = high.wrapping_add(1);
        }
        assert_eq!(next, 0, "the last bucket ends with the last u64");
    }

    #[test]
    fn half_a_bucket_is_within_four_per_mille() {
        for index in 0..OVERFLOW {
            let (low, high) = bounds(index);
            let half_width = (high - low) as f64 / 2.0;
            assert!(half_width <= 0.004 * low as f64, "bucket {index}");
        }
    }

    #[test]
    fn small_values_have_a_bucket_each() {
        for ns in 0..256 {
            assert_eq!(bounds(index_of(ns)), (ns, ns));
        }
        assert_eq!(bounds(index_of(256)), (256, 257));
    }
}
