//! Stride and stripe width of a file system on an array (V-62…V-66).
//!
//! On an md array mkfs finds both by itself. Users need them for a hardware
//! array, for a container image, or to check a file system.

use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// How an array spreads its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaidLevel {
    /// Striping.
    Raid0,
    /// Mirroring.
    Raid1,
    /// Striping with one parity.
    Raid5,
    /// Striping with two parities.
    Raid6,
    /// Striping over mirrors.
    Raid10,
    /// Striping over groups that have one parity each.
    Raid50,
}

/// The levels with their numbers.
const LEVELS: [(RaidLevel, &str); 6] = [
    (RaidLevel::Raid0, "0"),
    (RaidLevel::Raid1, "1"),
    (RaidLevel::Raid5, "5"),
    (RaidLevel::Raid6, "6"),
    (RaidLevel::Raid10, "10"),
    (RaidLevel::Raid50, "50"),
];

impl FromStr for RaidLevel {
    type Err = StripeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let lower = text.to_ascii_lowercase();
        let number = lower.trim_start_matches("raid");
        let entry = LEVELS.iter().find(|(_, known)| *known == number);
        entry.map(|(level, _)| *level).ok_or_else(|| StripeError::Level(text.to_owned()))
    }
}

impl fmt::Display for RaidLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = LEVELS.iter().find(|(level, _)| level == self).map_or("", |(_, number)| number);
        write!(f, "RAID{number}")
    }
}

/// An array and the block size of the file system on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Array {
    /// Level.
    pub level: RaidLevel,
    /// Active devices, spares not counted.
    pub devices: u32,
    /// For RAID10 the number of mirrored sets, for RAID50 the number of groups, otherwise 1.
    pub groups: u32,
    /// Consecutive bytes on one device, in KiB.
    pub chunk_kib: u32,
    /// Block of the file system, in bytes.
    pub block_bytes: u32,
}

/// Such an array, or such a file system on it, is not possible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StripeError {
    /// The level is not known here.
    #[error("{0:?} is not a RAID level; 0, 1, 5, 6, 10 and 50 are known")]
    Level(String),
    /// The array has too few devices.
    #[error("{level} needs at least {least} devices, not {devices}")]
    Devices {
        /// Level.
        level: RaidLevel,
        /// Devices given.
        devices: u32,
        /// Devices needed.
        least: u32,
    },
    /// The devices do not divide into the groups.
    #[error("{devices} devices do not divide into {groups} groups of equal size")]
    Groups {
        /// Devices given.
        devices: u32,
        /// Groups given.
        groups: u32,
    },
    /// The chunk is not a whole number of blocks.
    #[error("a chunk of {chunk_kib} KiB is not a whole number of blocks of {block_bytes} bytes")]
    Chunk {
        /// Chunk given.
        chunk_kib: u32,
        /// Block given.
        block_bytes: u32,
    },
}

/// The geometry that mkfs needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stripe {
    /// Block of the file system, in bytes.
    pub block_bytes: u32,
    /// Chunk, in KiB.
    pub chunk_kib: u32,
    /// Devices that hold the data of one stripe.
    pub data_devices: u32,
    /// Blocks in a chunk: a count, not a size (V-65).
    pub stride_blocks: u32,
    /// Blocks in a whole stripe.
    pub stripe_width_blocks: u32,
}

impl Array {
    /// Devices that hold data (V-63). A RAID50 loses one device to parity in
    /// every group, not one in total.
    pub fn data_devices(&self) -> Result<u32, StripeError> {
        self.checked()?;
        Ok(match self.level {
            RaidLevel::Raid0 => self.devices,
            RaidLevel::Raid1 => 1,
            RaidLevel::Raid5 => self.devices - 1,
            RaidLevel::Raid6 => self.devices - 2,
            RaidLevel::Raid10 => self.groups,
            RaidLevel::Raid50 => self.devices - self.groups,
        })
    }

    /// Stride and stripe width (V-62, V-64).
    pub fn stripe(&self) -> Result<Stripe, StripeError> {
        let data_devices = self.data_devices()?;
        let chunk_bytes = u64::from(self.chunk_kib) * 1024;
        let block_bytes = u64::from(self.block_bytes);
        let is_whole =
            block_bytes > 0 && chunk_bytes >= block_bytes && chunk_bytes.is_multiple_of(block_bytes);
        let width = chunk_bytes.checked_div(block_bytes).and_then(|stride| {
            let width = u32::try_from(stride.checked_mul(u64::from(data_devices))?).ok()?;
            Some((u32::try_from(stride).ok()?, width))
        });
        let (stride_blocks, stripe_width_blocks) = width
            .filter(|_| is_whole)
            .ok_or(StripeError::Chunk { chunk_kib: self.chunk_kib, block_bytes: self.block_bytes })?;
        let (block_bytes, chunk_kib) = (self.block_bytes, self.chunk_kib);
        Ok(Stripe { block_bytes, chunk_kib, data_devices, stride_blocks, stripe_width_blocks })
    }

    fn checked(&self) -> Result<(), StripeError> {
        let (per_group, groups) = match self.level {
            RaidLevel::Raid0 | RaidLevel::Raid1 => (1, 1),
            RaidLevel::Raid5 => (3, 1),
            RaidLevel::Raid6 => (4, 1),
            RaidLevel::Raid10 => (2, self.groups),
            RaidLevel::Raid50 => (3, self.groups),
        };
        if groups == 0 || !self.devices.is_multiple_of(groups) {
            return Err(StripeError::Groups { devices: self.devices, groups });
        }
        if self.devices / groups < per_group {
            let least = per_group.saturating_mul(groups);
            return Err(StripeError::Devices { level: self.level, devices: self.devices, least });
        }
        Ok(())
    }
}

impl Stripe {
    /// A whole stripe, in KiB: a write of this size needs no old parity.
    pub fn stripe_kib(&self) -> u64 {
        u64::from(self.chunk_kib) * u64::from(self.data_devices)
    }

    /// The command for ext4. Both values are in one `-E`, because some versions
    /// use only the last of two (V-66).
    pub fn mkfs_ext4(&self, device: &str) -> String {
        format!(
            "mkfs.ext4 -b {} -E stride={},stripe_width={} {device}",
            self.block_bytes, self.stride_blocks, self.stripe_width_blocks
        )
    }

    /// The command for XFS, which counts in bytes and devices.
    pub fn mkfs_xfs(&self, device: &str) -> String {
        let (block, chunk, data) = (self.block_bytes, self.chunk_kib, self.data_devices);
        format!("mkfs.xfs -b size={block} -d su={chunk}k,sw={data} {device}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(level: &str, devices: u32, groups: u32) -> Array {
        Array { level: level.parse().unwrap(), devices, groups, chunk_kib: 256, block_bytes: 4096 }
    }

    /// V-63, each level; RAID50 with the right rule.
    #[test]
    fn devices_that_bear_data() {
        let table = [
            ("0", 10, 1, 10),
            ("1", 2, 1, 1),
            ("5", 10, 1, 9),
            ("6", 10, 1, 8),
            ("10", 10, 5, 5),
            ("50", 10, 2, 8),
            ("50", 9, 3, 6),
        ];
        for (level, devices, groups, data) in table {
            assert_eq!(array(level, devices, groups).data_devices(), Ok(data), "RAID{level} of {devices}");
        }
    }

    /// V-62, V-64, V-65, V-66: the guide's example.
    #[test]
    fn ten_devices_in_five_mirrors() {
        let stripe = array("raid10", 10, 5).stripe().unwrap();
        assert_eq!((stripe.stride_blocks, stripe.stripe_width_blocks), (64, 320));
        assert_eq!(stripe.stripe_kib(), 1280);
        assert_eq!(stripe.mkfs_ext4("/dev/md0"), "mkfs.ext4 -b 4096 -E stride=64,stripe_width=320 /dev/md0");
        assert_eq!(stripe.mkfs_xfs("/dev/md0"), "mkfs.xfs -b size=4096 -d su=256k,sw=5 /dev/md0");
    }

    #[test]
    fn arrays_that_cannot_be() {
        assert!(matches!("7".parse::<RaidLevel>(), Err(StripeError::Level(_))));
        for (level, devices, groups) in [("5", 2, 1), ("6", 3, 1), ("10", 5, 2), ("50", 4, 2), ("50", 6, 0)] {
            assert!(array(level, devices, groups).stripe().is_err(), "RAID{level} of {devices}");
        }
        for (chunk_kib, block_bytes) in [(0, 4096), (2, 4096), (256, 0), (255, 4096), (u32::MAX, 1)] {
            let odd = Array { chunk_kib, block_bytes, ..array("0", 2, 1) };
            assert!(matches!(odd.stripe(), Err(StripeError::Chunk { .. })), "{chunk_kib}");
            let huge = Array { devices: u32::MAX, ..odd };
            assert!(matches!(huge.stripe(), Err(StripeError::Chunk { .. })), "{chunk_kib}");
        }
    }
}
