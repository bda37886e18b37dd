//! fio's buckets of latencies, for logs of histograms (`write_hist_log`).
//!
//! The first 128 have one value each. Above, each octave has 64: a value is known to 1.6 %. fio 3 counts nanoseconds in 29 groups of 64,
//! and what takes longer than 17.18 s in the last bucket.

/// How many there are (`FIO_IO_U_PLAT_NR` of fio 3).
pub const FIO_BUCKETS: usize = 29 << GROUP_SHIFT;

/// Buckets of one group, as a power of two (`FIO_IO_U_PLAT_BITS` of fio).
const GROUP_SHIFT: u32 = 6;

/// The bucket of a latency in ns.
#[inline]
pub const fn fio_bucket(ns: u64) -> usize {
    let exponent = 63 - (ns | (1 << GROUP_SHIFT)).leading_zeros();
    let shift = exponent - GROUP_SHIFT;
    let bucket = ((shift as usize) << GROUP_SHIFT) + (ns >> shift) as usize;
    if bucket < FIO_BUCKETS { bucket } else { FIO_BUCKETS - 1 }
}

/// The smallest latency of a bucket, ns.
pub const fn fio_bucket_lowest(bucket: usize) -> u64 {
    let (group, within) = ((bucket >> GROUP_SHIFT) as u32, (bucket % (1 << GROUP_SHIFT)) as u64);
    match group {
        0 | 1 => bucket as u64,
        _ => ((1 << GROUP_SHIFT) + within) << (group - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// fio puts 43,776 ns, its median of a measured job, into bucket 661: from 43,520 to 44,031 ns.
    #[test]
    fn buckets_are_those_of_fio() {
        let lowest = [0, 127, 128, 129, 661, 1855].map(fio_bucket_lowest);
        assert_eq!(lowest, [0, 127, 128, 130, 43_520, 17_045_651_456]);
        assert_eq!([43_519, 43_520, 44_031, 44_032].map(fio_bucket), [660, 661, 661, 662]);
        assert_eq!([0, 63, 64, 127, 128, 129, 130].map(fio_bucket), [0, 63, 64, 127, 128, 128, 129]);
        for bucket in 0..FIO_BUCKETS {
            assert_eq!(fio_bucket(fio_bucket_lowest(bucket)), bucket);
        }
        assert_eq!(fio_bucket(u64::MAX), FIO_BUCKETS - 1);
    }
}
