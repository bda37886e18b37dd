//! Finds the block device that a user means: `/dev/md0`, `md0`, a by-id link, a
//! file, a directory.

use fathom_text::carried::to_path;

use fathom_device::device::DevNumber;
use fathom_device::mounts::mount_above;
use fathom_device::root::Root;
use fathom_device::target;

/// Why a name leads to no block device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AimError {
    /// Nothing has this name.
    #[error("{0} is not a block device, file or directory here")]
    Nothing(String),
    /// Its file system has no block device.
    #[error("{target} is on {fs_type}, which has no block device under it")]
    NoDevice {
        /// The name that the user gave.
        target: String,
        /// The file system.
        fs_type: String,
    },
}

impl AimError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Nothing(_) => "name a device such as /dev/nvme0n1, or a file or directory on it",
            Self::NoDevice { .. } => "name a file or directory on a disk's file system, or the disk itself",
        }
    }
}

/// The block device with this name, or under the file or directory with this
/// name. The name is carried text ([`fathom_text::carried`]).
pub fn aim(root: &Root, target: &str) -> Result<DevNumber, AimError> {
    let path = &to_path(target);
    if let Some(number) = root.block_number_of(path) {
        return Ok(number);
    }
    if root.is_live() && path.exists() {
        let facts = target::inspect(root, path).map_err(|_| AimError::Nothing(target.to_owned()))?;
        let fs_type = facts.fs_type.unwrap_or_else(|| "something unknown".to_owned());
        return facts.device.ok_or(AimError::NoDevice { target: target.to_owned(), fs_type });
    }
    if !target.contains('/')
        && let Some(number) = root.block_number_named(target)
    {
        return Ok(number);
    }
    // A capture has no files, only mounts.
    let mount = mount_above(root, path).filter(|_| !root.is_live() && path.is_absolute());
    let is_device = path.starts_with("/dev");
    let mount = mount.filter(|_| !is_device).ok_or_else(|| AimError::Nothing(target.to_owned()))?;
    mount
        .block_number(root)
        .ok_or_else(|| AimError::NoDevice { target: target.to_owned(), fs_type: mount.fs_type })
}
