//! Over-provisioning: flash that the drive keeps for itself, as a share of what it offers; and how large a file may be
//! that fills a file system.

/// The sizes are not possible: a size is zero, or the drive offers more than it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OverprovisionError {
    /// It offers nothing.
    #[error("a drive that offers no bytes has no over-provisioning")]
    NoCapacity,
    /// It offers more than it has.
    #[error("a drive cannot offer {user_bytes} bytes and have only {physical_bytes}")]
    MoreThanThere {
        /// Bytes that the drive offers.
        user_bytes: u64,
        /// Bytes of flash that the drive has.
        physical_bytes: u64,
    },
}

/// (physical − user) ÷ user, in percent.
pub fn percent(physical_bytes: u64, user_bytes: u64) -> Result<f64, OverprovisionError> {
    if user_bytes == 0 {
        return Err(OverprovisionError::NoCapacity);
    }
    let own = physical_bytes
        .checked_sub(user_bytes)
        .ok_or(OverprovisionError::MoreThanThere { user_bytes, physical_bytes })?;
    Ok(own as f64 / user_bytes as f64 * 100.0)
}

/// The same, if only `used_percent` of the capacity is ever written and the
/// rest is formatted away, or trimmed and not used. The guide uses 90 % and 80
/// %.
pub fn percent_when_used(
    physical_bytes: u64,
    user_bytes: u64,
    used_percent: u8,
) -> Result<f64, OverprovisionError> {
    let used = u128::from(user_bytes) * u128::from(used_percent.min(100)) / 100;
    percent(physical_bytes, u64::try_from(used).unwrap_or(u64::MAX))
}

// How large a file may be that fills a file system (I-24).
//
// A drive is sold in powers of ten (16 TB is 16·10¹² bytes), a job file counts
// in powers of two (`G` is 2³⁰ bytes). If a user confuses the two, the size is
// 7 % larger than the drive, and the fill ends with "no space left on device".

/// 2³⁰ bytes: the `G` of a job file.
pub const GIB: u64 = 1 << 30;

/// Bytes to leave free by default, for metadata and the log of a file system.
pub const SPARE_BYTES_DEFAULT: u64 = 4 * GIB;

/// The largest whole number of GiB that leaves `spare_bytes` of
/// `space_bytes` free; `None` if that is not even one.
pub fn size_gib(space_bytes: u64, spare_bytes: u64) -> Option<u64> {
    let gib = space_bytes.checked_sub(spare_bytes)? / GIB;
    (gib > 0).then_some(gib)
}

/// Whether a file of `file_bytes` fits: the bytes that stay free (`Ok`) or that
/// are missing (`Err`).
pub fn fits(file_bytes: u64, space_bytes: u64) -> Result<u64, u64> {
    space_bytes.checked_sub(file_bytes).ok_or_else(|| file_bytes - space_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// M-13: 1,250,001,920 sectors of 512 bytes on 812 GB of flash.
    const USER: u64 = 1_250_001_920 * 512;
    const PHYSICAL: u64 = 812_000_000_000;

    #[test]
    fn a_drive_of_640_gb() {
        assert_eq!((USER as f64 / 1e6).round() / 1000.0, 640.001);
        let tenths = |percent: f64| (percent * 10.0).round() / 10.0;
        assert_eq!(tenths(percent(PHYSICAL, USER).unwrap()), 26.9);
        assert_eq!(tenths(percent_when_used(PHYSICAL, USER, 90).unwrap()), 41.0);
        assert_eq!(tenths(percent_when_used(PHYSICAL, USER, 80).unwrap()), 58.6);
    }

    #[test]
    fn drives_that_cannot_be() {
        assert_eq!(percent(1, 0), Err(OverprovisionError::NoCapacity));
        assert_eq!(percent_when_used(1, 1, 0), Err(OverprovisionError::NoCapacity));
        assert!(matches!(percent(1, 2), Err(OverprovisionError::MoreThanThere { .. })));
        assert_eq!(percent(7, 7), Ok(0.0));
    }

    /// 10¹² bytes: the TB on a drive's label.
    const TB: u64 = 1_000_000_000_000;

    /// 16 TB is 14,901 GiB, of which 4 stay free.
    #[test]
    fn a_drive_of_16_tb() {
        assert_eq!(size_gib(16 * TB, 0), Some(14_901));
        assert_eq!(size_gib(16 * TB, SPARE_BYTES_DEFAULT), Some(14_897));
        assert_eq!(size_gib(GIB, GIB), None);
        assert_eq!(size_gib(GIB, 2 * GIB), None);
    }

    /// The guide's 15,892G is 17.06 TB.
    #[test]
    fn the_guides_size_does_not_fit() {
        let file_bytes = 15_892 * GIB;
        assert_eq!((file_bytes as f64 / 1e10).round() / 100.0, 17.06);
        assert_eq!(fits(file_bytes, 16 * TB), Err(file_bytes - 16 * TB));
        assert!(fits(14_897 * GIB, 16 * TB).is_ok());
    }
}
