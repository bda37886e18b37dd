//! What an array of drives can do with small random I/O, from what one drive does (I-54).
//!
//! Every I/O of the host costs the drives some reads and writes of their own. An array can do as many
//! as its drives have time for, if the load is spread evenly and nothing else limits it. A parity
//! level reads the old data and the old parity before it writes both, or the other data of the stripe where
//! that is less. So a write costs more than a mirror's two copies, but less than four writes where a drive reads
//! faster than it writes. The groups of RAID50 are taken to have four devices or more.

use super::stripe::RaidLevel;
use serde::Serialize;

/// A drive, as it was measured alone with the same block size and depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriveRates {
    /// Random reads a second.
    pub read_iops: f64,
    /// Random writes a second.
    pub write_iops: f64,
}

/// The I/Os of drives that one write of the host costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WriteCost {
    /// Reads of old data and parity.
    pub reads: u32,
    /// Writes of data, copies and parity.
    pub writes: u32,
}

impl WriteCost {
    /// Of a write that is smaller than a stripe, to an array of so many devices.
    pub fn of(level: RaidLevel, devices: u32) -> WriteCost {
        let (reads, writes) = match level {
            RaidLevel::Raid0 => (0, 1),
            RaidLevel::Raid1 => (0, devices),
            RaidLevel::Raid10 => (0, 2),
            // Of the old block and the parity, or of all other blocks of the stripe: whatever is less.
            RaidLevel::Raid5 => (devices.saturating_sub(2).min(2), 2),
            RaidLevel::Raid50 => (2, 2),
            RaidLevel::Raid6 => (devices.saturating_sub(3).min(3), 3),
        };
        WriteCost { reads, writes }
    }
}

/// The fewest devices that make an array of this level.
pub fn devices_min(level: RaidLevel) -> u32 {
    match level {
        RaidLevel::Raid0 => 1,
        RaidLevel::Raid1 | RaidLevel::Raid10 => 2,
        RaidLevel::Raid5 => 3,
        RaidLevel::Raid6 => 4,
        RaidLevel::Raid50 => 6,
    }
}

/// The I/Os a second that the drives have time for, where `writes` is the share of writes, 0 to 1.
///
/// # Errors
/// A sentence: too few devices, or a rate or a share that is none.
pub fn iops_max(level: RaidLevel, devices: u32, drive: DriveRates, writes: f64) -> Result<f64, String> {
    if devices < devices_min(level) {
        return Err(format!("{level} needs at least {} devices", devices_min(level)));
    }
    let is_rate = |rate: f64| rate.is_finite() && rate > 0.0;
    if !(is_rate(drive.read_iops) && is_rate(drive.write_iops)) {
        return Err("rates are numbers above 0".to_owned());
    }
    if !(0.0..=1.0).contains(&writes) {
        return Err("the share of writes is 0 to 100 per cent".to_owned());
    }
    let (read_s, write_s) = (1.0 / drive.read_iops, 1.0 / drive.write_iops);
    let cost = WriteCost::of(level, devices);
    let host_write_s = f64::from(cost.reads) * read_s + f64::from(cost.writes) * write_s;
    Ok(f64::from(devices) / ((1.0 - writes) * read_s + writes * host_write_s))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter of the guide's RAID0 of four drives (I-54).
    const DRIVE: DriveRates = DriveRates { read_iops: 2_811_619.0 / 4.0, write_iops: 585_964.0 / 4.0 };

    fn share(level: RaidLevel, devices: u32, writes: f64, measured: f64) -> f64 {
        measured / iops_max(level, devices, DRIVE, writes).unwrap()
    }

    #[test]
    fn the_guides_arrays_do_what_their_drives_have_time_for() {
        use RaidLevel::{Raid0, Raid1, Raid5, Raid10};
        for (level, devices, writes, measured) in [
            (Raid0, 4, 1.0, 585_964.0),
            (Raid1, 2, 1.0, 147_473.0),
            (Raid10, 4, 1.0, 292_694.0),
            (Raid0, 4, 0.0, 2_811_619.0),
            (Raid5, 4, 0.0, 2_809_537.0),
            (Raid1, 2, 0.0, 1_407_170.0),
            (Raid10, 4, 0.0, 2_813_474.0),
        ] {
            let share = share(level, devices, writes, measured);
            assert!((0.99..=1.01).contains(&share), "{level} {writes}: {share}");
        }
        // Parity and mixed loads stay below it: 88 % and 82 to 88 %.
        for (level, devices, writes, measured) in [
            (Raid5, 4, 1.0, 212_889.0),
            (Raid0, 4, 0.3, 1_076_204.0),
            (Raid5, 4, 0.3, 558_165.0),
            (Raid1, 2, 0.3, 347_395.0),
            (Raid10, 4, 0.3, 692_866.0),
        ] {
            let share = share(level, devices, writes, measured);
            assert!((0.81..=0.89).contains(&share), "{level} {writes}: {share}");
        }
    }

    #[test]
    fn a_parity_write_costs_less_than_four_where_reads_are_fast() {
        let of = |level| iops_max(level, 4, DRIVE, 1.0).unwrap();
        let penalty = of(RaidLevel::Raid0) / of(RaidLevel::Raid5);
        assert!((2.4..2.45).contains(&penalty), "{penalty}");
        let even = DriveRates { read_iops: 1_000.0, write_iops: 1_000.0 };
        assert_eq!(iops_max(RaidLevel::Raid5, 4, even, 1.0), Ok(1_000.0));
        assert!((iops_max(RaidLevel::Raid6, 6, even, 1.0).unwrap() - 1_000.0).abs() < 1e-9);
        assert_eq!(WriteCost::of(RaidLevel::Raid5, 3), WriteCost { reads: 1, writes: 2 });
        assert_eq!(WriteCost::of(RaidLevel::Raid6, 4), WriteCost { reads: 1, writes: 3 });
    }

    #[test]
    fn what_is_no_array_is_refused() {
        assert!(iops_max(RaidLevel::Raid5, 2, DRIVE, 1.0).is_err());
        assert!(iops_max(RaidLevel::Raid0, 2, DriveRates { write_iops: 0.0, ..DRIVE }, 1.0).is_err());
        assert!(iops_max(RaidLevel::Raid0, 2, DRIVE, 1.1).is_err());
    }
}
