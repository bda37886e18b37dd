//! How large a file may be that fills a file system (I-24).
//!
//! A drive is sold in powers of ten (16 TB is 16·10¹² bytes), a job file counts
//! in powers of two (`G` is 2³⁰ bytes). If a user confuses the two, the size is
//! 7 % larger than the drive, and the fill ends with "no space left on device".

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
