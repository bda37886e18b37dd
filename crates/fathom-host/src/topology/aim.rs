//! Finds the block devices that a user means: `/dev/md0`, `md0`, a by-id link, a
//! file, a directory.

use std::path::Path;

use fathom_text::carried::to_path;

use fathom_device::device::DevNumber;
use fathom_device::inventory::Standing;
use fathom_device::root::Root;

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

/// The block device with this name, or those under the file or directory with
/// this name. The name is carried text ([`fathom_text::carried`]).
pub fn aim(root: &Root, target: &str) -> Result<Vec<DevNumber>, AimError> {
    let path = &to_path(target);
    let nothing = || AimError::Nothing(target.to_owned());
    if root.block_number_of(path).is_none() && !is_file(root, path) {
        let named = root.block_number_named(target).filter(|_| !target.contains('/'));
        return named.map(|number| vec![number]).ok_or_else(nothing);
    }
    let standing = Standing::of(root, path).ok_or_else(nothing)?;
    match standing.mount {
        Some(mount) if standing.devices.is_empty() => {
            Err(AimError::NoDevice { target: target.to_owned(), fs_type: mount.fs_type })
        }
        _ => Ok(standing.devices),
    }
}

/// A capture has no files, only mounts: there every path outside `/dev` may be
/// one.
fn is_file(root: &Root, path: &Path) -> bool {
    match root.is_live() {
        true => path.exists(),
        false => path.is_absolute() && !path.starts_with("/dev"),
    }
}
