//! What an image holds, as far as a step can make use of it.

/// A kind of content that a kernel can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Ext4,
    Xfs,
    /// Btrfs on one device, with the number of its UUID among the prepared ones.
    Btrfs(usize),
    /// One of the two devices of a btrfs.
    BtrfsHalf(usize),
    Swap,
    /// A table of partitions.
    Table,
}

/// A content and where it is in its file.
#[derive(Clone, Copy, Debug)]
pub struct Content {
    pub kind: Kind,
    pub start: u64,
    pub size_bytes: u64,
}

impl Kind {
    /// The name by which mount(2) knows it; `None` for what cannot be mounted.
    pub fn file_system(self) -> Option<&'static str> {
        match self {
            Kind::Ext4 => Some("ext4"),
            Kind::Xfs => Some("xfs"),
            Kind::Btrfs(_) | Kind::BtrfsHalf(_) => Some("btrfs"),
            Kind::Swap | Kind::Table => None,
        }
    }

    /// Whether a second one with the same UUID cannot be mounted beside it.
    pub fn is_unique(self) -> bool {
        matches!(self, Kind::Btrfs(_) | Kind::BtrfsHalf(_))
    }
}
