//! Which arrays can be made: their levels, and who keeps their metadata: md itself, or the firmware of the platform.

use super::error::ArrayError;
use std::fmt;
use std::str::FromStr;

/// The form of the metadata on the members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ArrayMetadata {
    /// md's own, version 1.2.
    #[default]
    Native,
    /// Intel's (VROC, Rapid Storage): a container of all members, and the array as a volume in it. mdadm makes it where the
    /// platform offers it.
    Imsm,
}

/// mdadm's own chunk since version 3.1 (mdadm(8)).
const NATIVE_CHUNK_BYTES: u64 = 512 << 10;
/// The chunk of VROC's volumes unless another is asked for.
const IMSM_CHUNK_BYTES: u64 = 128 << 10;
/// The name in md's superblock has 32 bytes, in which "any:" is put before it.
const NATIVE_NAME_MAX: usize = 24;
/// The name of a volume has 16 bytes, of which mdadm keeps one for the end.
const IMSM_NAME_MAX: usize = 15;

impl ArrayMetadata {
    /// All of them.
    pub const ALL: [ArrayMetadata; 2] = [ArrayMetadata::Native, ArrayMetadata::Imsm];

    /// As mdadm's option `--metadata` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "1.2",
            Self::Imsm => "imsm",
        }
    }

    /// The form that the kernel's `md/metadata_version` tells, of a container or an array.
    pub fn of_kernel(version: &str) -> Self {
        if version.starts_with("external:") { Self::Imsm } else { Self::Native }
    }

    /// What may be the cause where mdadm makes no array.
    pub(super) const fn hint_of_failure(self) -> Option<&'static str> {
        match self {
            Self::Native => None,
            Self::Imsm => Some(
                "mdadm makes imsm only for disks of controllers whose firmware offers it; mdadm --detail-platform shows them",
            ),
        }
    }

    /// Bytes of a chunk where none are asked for.
    pub(super) const fn chunk_bytes_usual(self) -> u64 {
        match self {
            Self::Native => NATIVE_CHUNK_BYTES,
            Self::Imsm => IMSM_CHUNK_BYTES,
        }
    }

    /// The longest name of an array.
    pub(super) const fn name_max(self) -> usize {
        match self {
            Self::Native => NATIVE_NAME_MAX,
            Self::Imsm => IMSM_NAME_MAX,
        }
    }

    /// Whether an array of this level can have so many members.
    pub(super) fn allows(self, level: ArrayLevel, members: usize) -> Result<(), ArrayError> {
        let exactly = match (self, level) {
            (Self::Native, _) | (Self::Imsm, ArrayLevel::Raid0 | ArrayLevel::Raid5) => return Ok(()),
            (Self::Imsm, ArrayLevel::Raid6) => {
                let message = format!("imsm has no {level}");
                return Err(ArrayError::asked(message, "its levels are 0, 1, 5 and 10"));
            }
            (Self::Imsm, ArrayLevel::Raid1) => 2,
            (Self::Imsm, ArrayLevel::Raid10) => 4,
        };
        if members == exactly {
            return Ok(());
        }
        let message = format!("{level} of imsm has exactly {exactly} members, and {members} were named");
        Err(ArrayError::asked(message, "name as many devices, or leave --metadata out"))
    }
}

impl FromStr for ArrayMetadata {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known_one = Self::ALL.into_iter().find(|known| known.name() == text);
        known_one.ok_or_else(|| "the forms of metadata are 1.2 and imsm".to_owned())
    }
}

impl fmt::Display for ArrayMetadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A RAID level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayLevel {
    /// Striped, without redundancy.
    Raid0,
    /// Mirrored: every member holds the same.
    Raid1,
    /// Striped, with one block of parity in a stripe.
    Raid5,
    /// Striped, with two blocks of parity in a stripe.
    Raid6,
    /// Striped over mirrors of two.
    Raid10,
}

/// Each level with its number and its fewest members (md(4); with fewer, 5, 6 and 10 are only another form of a mirror).
const LEVELS: [(ArrayLevel, u32, usize); 5] = [
    (ArrayLevel::Raid0, 0, 2),
    (ArrayLevel::Raid1, 1, 2),
    (ArrayLevel::Raid5, 5, 3),
    (ArrayLevel::Raid6, 6, 4),
    (ArrayLevel::Raid10, 10, 4),
];

impl ArrayLevel {
    fn row(self) -> (Self, u32, usize) {
        LEVELS.into_iter().find(|(level, ..)| *level == self).expect("every level has a row")
    }

    /// Its number.
    pub fn number(self) -> u32 {
        self.row().1
    }

    /// The fewest members.
    pub fn members_min(self) -> usize {
        self.row().2
    }

    /// Whether data is cut into chunks.
    pub fn has_chunk(self) -> bool {
        self != Self::Raid1
    }

    /// Whether an array loses no data when one member fails. Such an array initialises itself.
    pub fn is_redundant(self) -> bool {
        self != Self::Raid0
    }

    /// Bytes of data that this many members hold, each with this many.
    pub fn capacity_bytes(self, members: u64, each_bytes: u64) -> u64 {
        match self {
            Self::Raid0 => members * each_bytes,
            Self::Raid1 => each_bytes,
            Self::Raid5 => (members - 1) * each_bytes,
            Self::Raid6 => (members - 2) * each_bytes,
            Self::Raid10 => members * each_bytes / 2,
        }
    }
}

impl FromStr for ArrayLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.to_ascii_lowercase();
        let number = number.strip_prefix("raid").unwrap_or(&number);
        let known_one = LEVELS.iter().find(|(_, known, _)| known.to_string() == number);
        known_one.map(|(level, ..)| *level).ok_or_else(|| "the levels are 0, 1, 5, 6 and 10".to_owned())
    }
}

impl fmt::Display for ArrayLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RAID {}", self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imsm_has_its_own_levels_and_members() {
        for (level, members, is_possible) in [
            ("0", 2, true),
            ("0", 6, true),
            ("1", 2, true),
            ("1", 3, false),
            ("5", 3, true),
            ("6", 4, false),
            ("10", 4, true),
            ("10", 6, false),
        ] {
            let level: ArrayLevel = level.parse().unwrap();
            assert_eq!(ArrayMetadata::Imsm.allows(level, members).is_ok(), is_possible, "{level} {members}");
            assert!(ArrayMetadata::Native.allows(level, members).is_ok());
        }
    }

    #[test]
    fn the_kernel_tells_which_it_is() {
        for (version, metadata) in [
            ("1.2", ArrayMetadata::Native),
            ("external:imsm", ArrayMetadata::Imsm),
            ("external:/md127/0", ArrayMetadata::Imsm),
            ("none", ArrayMetadata::Native),
        ] {
            assert_eq!(ArrayMetadata::of_kernel(version), metadata, "{version}");
        }
        assert_eq!("imsm".parse(), Ok(ArrayMetadata::Imsm));
        assert!("ddf".parse::<ArrayMetadata>().is_err());
    }
}
