//! Whether a server may be behind a file system that no visible mount shows, for example because it
//! was unmounted lazily.
//!
//! A server (of a network, or of FUSE) may give one file several inode numbers. The kernel does not
//! report the kind of a file system that no mount table shows. But every file system with a server
//! has a backing device information of its own in `/sys/class/bdi` as long as it exists: under its
//! device number (FUSE and NFS, by Documentation/ABI/testing/sysfs-class-bdi), or under a name and
//! a count (`cifs-1`; super_setup_bdi in fs/super.c). File systems in memory and overlays have
//! none.

use crate::device::DevNumber;
use crate::root::Root;

/// What stores its own files and is registered under a name and a count, or
/// belongs to no file system.
const WITHOUT_SERVER: [&str; 6] = ["btrfs", "bcachefs", "zfs", "ubifs", "mtd", "default"];

/// Whether a server may be behind it; also true where the kernel does not say.
pub(super) fn may_be_served(root: &Root, dev: DevNumber) -> bool {
    root.list("/sys/class/bdi").map_or(true, |names| names.iter().any(|name| may_be_of(name, dev)))
}

/// Whether the entry of this name may be that of the file system.
fn may_be_of(name: &str, dev: DevNumber) -> bool {
    // A block device with a file system of FUSE on it is `8:1-fuseblk`.
    let (first, _) = name.split_once(['-', '_']).unwrap_or((name, ""));
    first.parse::<DevNumber>().map_or_else(|_| !WITHOUT_SERVER.contains(&first), |number| number == dev)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;

    fn may_be(entries: &[&str]) -> bool {
        let mut tree = Tree::default();
        for entry in entries {
            tree.overlay(&format!("/sys/class/bdi/{entry}/read_ahead_kb = 128\n")).unwrap();
        }
        may_be_served(&Root::held(&tree), "0:44".parse().unwrap())
    }

    #[test]
    fn a_server_is_known_by_its_backing_device() {
        assert!(!may_be(&["254:0", "7:3", "0:45", "8:1-fuseblk", "btrfs-1", "ubifs_0_0", "mtd-0"]));
        assert!(may_be(&["254:0", "0:44"]), "FUSE or NFS");
        assert!(may_be(&["254:0", "cifs-1"]), "its number is not known");
        assert!(may_be(&[]), "a kernel that tells nothing");
    }
}
