//! The levels of arrays that can be made.

use std::fmt;
use std::str::FromStr;

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
        let found = LEVELS.iter().find(|(_, known, _)| known.to_string() == number);
        found.map(|(level, ..)| *level).ok_or_else(|| "the levels are 0, 1, 5, 6 and 10".to_owned())
    }
}

impl fmt::Display for ArrayLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RAID {}", self.number())
    }
}
