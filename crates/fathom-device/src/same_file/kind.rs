//! How far the numbers of a file can be trusted, by its file system.

use crate::device::DevNumber;

/// Where the files of a file system come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FsKind {
    /// It stores them: device and inode are the file.
    Owner,
    /// overlay: it shows files of other file systems under their names and
    /// times, and under numbers of its own.
    Overlay,
    /// It shows files of another machine, or of this one through a server:
    /// the names are kept, the numbers and times need not be.
    Network,
    /// FUSE and whatever is not listed here: nothing is certain.
    Other,
    /// No mount of it is visible, but it has no server: two inodes of it are two files, although an
    /// overlay may show them under another device.
    Unserved,
    /// No mount of it is visible.
    Unknown,
}

/// Name in the mount table, magic number of statfs (linux/magic.h; ZFS,
/// bcachefs, UBIFS and Ceph from their own sources), and kind. A file system
/// on a block device is known by its number and is not listed.
const KINDS: [(&str, u32, FsKind); 16] = [
    ("tmpfs", 0x0102_1994, FsKind::Owner),
    ("devtmpfs", 0x0102_1994, FsKind::Owner),
    ("ramfs", 0x8584_58f6, FsKind::Owner),
    ("hugetlbfs", 0x9584_58f6, FsKind::Owner),
    ("btrfs", 0x9123_683e, FsKind::Owner),
    ("zfs", 0x2fc1_2fc1, FsKind::Owner),
    ("bcachefs", 0xca45_1a4e, FsKind::Owner),
    ("ubifs", 0x2405_1905, FsKind::Owner),
    ("overlay", 0x794c_7630, FsKind::Overlay),
    ("nfs", 0x6969, FsKind::Network),
    ("nfs4", 0x6969, FsKind::Network),
    ("cifs", 0xff53_4d42, FsKind::Network),
    ("smb3", 0xfe53_4d42, FsKind::Network),
    ("9p", 0x0102_1997, FsKind::Network),
    ("ceph", 0x00c3_6400, FsKind::Network),
    ("virtiofs", NO_MAGIC, FsKind::Network),
];

/// For a file system that has the magic number of another one.
const NO_MAGIC: u32 = 0;

impl FsKind {
    /// The kind, by the number of the device and the magic number of the file system.
    pub fn of_magic(dev: DevNumber, magic: u32) -> Self {
        Self::find(dev, |(_, known, _)| *known == magic)
    }

    /// The kind, by the number of the device and the name of the file system.
    pub fn of_name(dev: DevNumber, name: &str) -> Self {
        Self::find(dev, |(known, ..)| *known == name)
    }

    /// A file system with the number of a block device is on that device.
    pub fn of_device(dev: DevNumber) -> Option<Self> {
        (!dev.is_anonymous()).then_some(FsKind::Owner)
    }

    fn find(dev: DevNumber, is_it: impl Fn(&(&str, u32, FsKind)) -> bool) -> Self {
        let listed = || KINDS.into_iter().find(|entry| is_it(entry)).map(|(.., kind)| kind);
        Self::of_device(dev).or_else(listed).unwrap_or(FsKind::Other)
    }

    /// This kind, or the other where this says nothing.
    pub fn known_or(self, other: Self) -> Self {
        if self == FsKind::Unknown { other } else { self }
    }

    /// Whether a file has the same last name below as it has here.
    pub fn keeps_names(self) -> bool {
        self != FsKind::Other
    }

    /// Whether owner and times are those of the file below.
    pub fn keeps_times(self) -> bool {
        matches!(self, FsKind::Owner | FsKind::Overlay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_device_stores_what_is_on_it() {
        let (disk, none) = ("8:1".parse().unwrap(), "0:44".parse().unwrap());
        assert_eq!(FsKind::of_magic(disk, 0x6573_5546), FsKind::Owner, "fuseblk: NTFS on a disk");
        assert_eq!(FsKind::of_magic(none, 0x6573_5546), FsKind::Other);
        assert_eq!(FsKind::of_magic(none, 0x9123_683e), FsKind::Owner);
        assert_eq!(FsKind::of_name(none, "overlay"), FsKind::Overlay);
        assert!(!FsKind::Network.keeps_times() && FsKind::Network.keeps_names());
    }
}
