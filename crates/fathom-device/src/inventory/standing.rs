//! The block devices under a path.

use std::path::Path;

use crate::device::DevNumber;
use crate::diskstat::disks_beneath;
use crate::mounts::{Mount, mount_of, pool_members};
use crate::root::{Root, Unknown};

/// A path, with the file system and the block devices that hold its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The file system of a file or directory; `None` for a block device.
    pub mount: Option<Mount>,
    /// The block device itself, or those of the file system. The first is the one that the mount
    /// names; the others are the further members of a file system on several devices (btrfs,
    /// bcachefs). A file system without a block device (tmpfs, nfs, overlay) has none.
    pub devices: Vec<DevNumber>,
}

impl Standing {
    /// Finds what is below a path. A file that does not exist yet is where it would be
    /// created. `None` if it is on no mounted file system.
    pub fn of(root: &Root, path: &Path) -> Option<Self> {
        if let Some(number) = root.block_number_of(path) {
            return Some(Self { mount: None, devices: vec![number] });
        }
        let mount = mount_of(root, path)?;
        let devices = mount.block_numbers(root, &pool_members(root));
        Some(Self { mount: Some(mount), devices })
    }

    /// The disks whose counters count the I/O on the path, each once: those of the first device,
    /// its own disk at the front, then those of the others.
    ///
    /// # Errors
    /// Where the devices below one of them cannot be read.
    pub fn counting_disks(&self, root: &Root) -> Result<Vec<String>, Unknown> {
        let mut names: Vec<String> = Vec::new();
        for device in &self.devices {
            let more = disks_beneath(root, *device)?;
            names.extend(more.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
        }
        Ok(names)
    }
}
