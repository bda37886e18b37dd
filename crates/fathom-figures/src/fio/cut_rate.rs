//! How many I/Os there were, where fio wrote only I/Os per second, cut to a whole number: terse output, and the JSON of fio 2.1.
//!
//! fio divides by the run time in ms that it writes, so the number of I/Os lies between two bounds. A block size that fits the
//! bytes for one number between them makes it exact.

/// Blocks are whole sectors of Linux, bytes.
const SECTOR: u64 = 512;

/// fio writes bytes as whole KiB.
const KIB: u64 = 1024;

/// What a whole number of I/Os per second leaves open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutRate {
    /// The most I/Os that there can have been.
    pub ios_most: u64,
    /// I/Os per second were fewer than this.
    pub iops_below: f64,
}

/// What a file says of the I/Os of a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CountedIos {
    /// I/Os; where they are not known, the fewest that there can have been.
    pub ios: Option<u64>,
    /// Bytes.
    pub bytes: Option<u64>,
    /// I/Os per second; where they are not known, the whole number of the file.
    pub iops: Option<f64>,
    /// `None` where the numbers are exact.
    pub cut: Option<CutRate>,
}

impl CountedIos {
    /// From whole KiB, whole I/Os per second and the run time.
    pub fn of(kib: u64, iops: u64, runtime_ms: u64) -> CountedIos {
        let bytes = kib.saturating_mul(KIB);
        let per_second = |ios: u64| Some(ios as f64 * 1e3 / runtime_ms as f64);
        let known = CountedIos { ios: None, bytes: Some(bytes), iops: Some(iops as f64), cut: None };
        if runtime_ms == 0 {
            return known;
        }
        let fewest = (u128::from(iops) * u128::from(runtime_ms)).div_ceil(1_000);
        let below = ((u128::from(iops) + 1) * u128::from(runtime_ms)).div_ceil(1_000);
        let whole = |ios: u128| u64::try_from(ios).unwrap_or(u64::MAX);
        let (fewest, most) = (whole(fewest), whole(below.saturating_sub(1)));
        match one_block(bytes, (fewest, most)) {
            Some((block, ios)) => {
                CountedIos { ios: Some(ios), bytes: Some(ios * block), iops: per_second(ios), cut: None }
            }
            None if fewest == most => CountedIos { ios: Some(most), iops: per_second(most), ..known },
            None => {
                let cut = CutRate { ios_most: most, iops_below: iops as f64 + 1.0 };
                CountedIos { ios: Some(fewest), cut: Some(cut), ..known }
            }
        }
    }
}

/// The only block size and number of I/Os between these bounds whose product are so many bytes, cut to whole KiB.
fn one_block(bytes: u64, (fewest, most): (u64, u64)) -> Option<(u64, u64)> {
    let bytes_most = bytes.saturating_add(KIB - 1);
    let (low, high) = (bytes / most.max(1) / SECTOR, bytes_most / fewest.max(1) / SECTOR);
    // A wide interval holds several.
    if bytes == 0 || fewest == 0 || high - low > SECTORS_MAX {
        return None;
    }
    let fits = |block: u64| {
        let ios = bytes.div_ceil(block).max(fewest);
        (ios <= most && ios.checked_mul(block)? <= bytes_most).then_some((block, ios))
    };
    let mut all = (low.max(1)..=high).filter_map(|sectors| fits(sectors * SECTOR));
    let only = all.next()?;
    all.next().is_none().then_some(only)
}

/// Block sizes that are tried.
const SECTORS_MAX: u64 = 4_096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_size_that_alone_fits_makes_the_numbers_exact() {
        // 24,000 reads of 4 KiB in 12.001 s, and one more.
        for (kib, ios) in [(96_000, 24_000), (96_004, 24_001)] {
            let told = CountedIos::of(kib, 1_999, 12_001);
            assert_eq!((told.ios, told.bytes, told.cut), (Some(ios), Some(ios * 4_096), None));
            assert!((told.iops.unwrap() - ios as f64 / 12.001).abs() < 1e-9);
        }
        // An odd number of sectors: the last half of a KiB is not in the file.
        let sectors = CountedIos::of(500, 100, 10_001);
        assert_eq!((sectors.ios, sectors.bytes, sectors.cut), (Some(1_001), Some(1_001 * 512), None));
    }

    #[test]
    fn of_few_ios_only_the_bounds_are_known() {
        // 30 reads of 4 KiB; 16 of 7,680 bytes would look the same.
        let told = CountedIos::of(120, 1, 15_602);
        assert_eq!((told.ios, told.iops), (Some(16), Some(1.0)));
        assert_eq!(told.cut, Some(CutRate { ios_most: 31, iops_below: 2.0 }));
        assert_eq!(CountedIos::of(120, 1, 0).cut, None, "without a time there is no rate");
        let least = CountedIos::of(4, 0, 15_602);
        assert_eq!((least.ios, least.cut.map(|cut| cut.ios_most)), (Some(0), Some(15)));
    }
}
