//! What a simulated array is made of.

use super::DriveModel;
use crate::SimError;

/// How an array keeps data when a drive fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redundancy {
    /// RAID 0: not at all.
    Stripes,
    /// RAID 1: every drive has everything.
    Mirror,
    /// RAID 10: stripes over pairs of mirrors.
    MirroredStripes,
    /// RAID 5: one parity.
    Parity,
    /// RAID 6: two parities.
    DoubleParity,
}

/// Drives of one kind as one.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayModel {
    /// Number of drives.
    pub drives: u32,
    /// Each of them.
    pub drive: Box<DriveModel>,
    /// How data is kept when one fails.
    pub redundancy: Redundancy,
    /// Bytes that are on one drive before the next one follows.
    pub chunk_bytes: u64,
    /// The drive that has failed, from 0.
    pub failed: Option<u32>,
}

impl Redundancy {
    /// Drives that hold parity in each stripe.
    pub fn parities(self) -> u32 {
        match self {
            Self::Parity => 1,
            Self::DoubleParity => 2,
            Self::Stripes | Self::Mirror | Self::MirroredStripes => 0,
        }
    }
}

impl ArrayModel {
    /// Bytes that an array of drives of this capacity has for data.
    pub(crate) fn capacity_of(&self, drive_bytes: u64) -> u64 {
        drive_bytes / self.chunk_bytes * self.chunk_bytes * u64::from(self.data_drives())
    }

    /// Drives whose capacity holds data.
    pub fn data_drives(&self) -> u32 {
        match self.redundancy {
            Redundancy::Mirror => 1,
            Redundancy::MirroredStripes => self.drives / 2,
            Redundancy::Stripes | Redundancy::Parity | Redundancy::DoubleParity => {
                self.drives - self.redundancy.parities()
            }
        }
    }

    pub(crate) fn check(&self) -> Result<(), SimError> {
        let contradiction = |text: &str| Err(SimError::Contradiction { text: text.to_owned() });
        let least = match self.redundancy {
            Redundancy::Stripes => 1,
            Redundancy::Mirror | Redundancy::MirroredStripes => 2,
            Redundancy::Parity => 3,
            Redundancy::DoubleParity => 4,
        };
        if self.drives < least {
            return contradiction(
                "raid: levels 1 and 10 need at least 2 drives, level 5 needs 3, level 6 needs 4",
            );
        }
        if self.redundancy == Redundancy::MirroredStripes && !self.drives.is_multiple_of(2) {
            return contradiction("raid=10 needs an even number of drives");
        }
        if self.failed.is_some() && self.redundancy == Redundancy::Stripes {
            return contradiction("raid=0 has lost its data when a drive has failed");
        }
        if self.failed.is_some_and(|failed| failed >= self.drives) {
            return contradiction("failed is the number of a drive, from 0");
        }
        if matches!(*self.drive, DriveModel::Array(_)) {
            return contradiction("an array of arrays is not simulated");
        }
        let is_chunk = self.chunk_bytes.is_power_of_two() && (4096..=64 << 20).contains(&self.chunk_bytes);
        super::check::allowed("chunk", self.chunk_bytes, is_chunk, "a power of two from 4k to 64m")
    }
}
