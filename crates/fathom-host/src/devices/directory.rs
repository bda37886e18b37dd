//! Directories in which a scratch file can be measured.

use std::cmp::Reverse;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use fathom_device::ask::Question;
use fathom_device::device::{DevNumber, Graph};
use fathom_device::mounts::{Mount, own_mounts};
use fathom_device::root::{Root, Unknown};
use fathom_device::sys;
use serde::Serialize;

/// A directory of a mounted local file system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScratchDirectory {
    /// Where it is mounted; or a directory on it in which this user may write, where the user may not write there.
    #[serde(with = "fathom_device::saved_path")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub path: PathBuf,
    /// Type of the file system.
    pub fs_type: String,
    /// Kernel name of the device that it is on.
    pub device: String,
    /// Free bytes for this user.
    pub free_bytes: u64,
    /// Whether this user may create a file there; `None` on a recorded machine.
    pub is_writable: Option<bool>,
}

/// Directories that a person would not measure: they hold the boot loader.
const BOOT: [&str; 3] = ["/boot", "/efi", "/boot/efi"];

/// Every file system that takes writes and is on a block device, the one with the most free space
/// first. One that is mounted several times is listed once.
pub(super) fn all(root: &Root) -> Result<Vec<ScratchDirectory>, Unknown> {
    let mut mounts: Vec<(DevNumber, Mount)> = Vec::new();
    for mount in own_mounts(root)?.into_iter().filter(is_candidate) {
        let Some(number) = mount.block_number(root) else { continue };
        // A mount of a file, as containers have, is not a directory.
        if root.is_live() && !mount.point.is_dir() {
            continue;
        }
        let best = |mount: &Mount| (mount.root.as_os_str() != "/", mount.point.as_os_str().len());
        match mounts.iter_mut().find(|(known, _)| *known == number) {
            Some((_, known)) if best(&mount) < best(known) => *known = mount,
            Some(_) => {}
            None => mounts.push((number, mount)),
        }
    }
    let directories = mounts.into_iter().filter_map(|(number, mount)| read(root, number, mount));
    let mut directories: Vec<ScratchDirectory> = directories.collect();
    directories.sort_by_key(|directory| Reverse(directory.free_bytes));
    Ok(directories)
}

/// A file system in user space may not answer, so none of these is looked at.
fn is_candidate(mount: &Mount) -> bool {
    let is_writable = mount.options.split(',').all(|option| option != "ro");
    let is_boot = BOOT.iter().any(|boot| mount.point.as_os_str() == *boot);
    is_writable && !is_boot && !mount.fs_type.starts_with("fuse")
}

/// `None` if its space or its device is not known.
fn read(root: &Root, number: DevNumber, mount: Mount) -> Option<ScratchDirectory> {
    let space = root.ask_text(&Question::Space { path: mount.point.clone() }).ok()?;
    let free_bytes = space.split_whitespace().nth(2)?.parse().ok()?;
    let device = Graph::read(root, number).ok()?.target().name.clone();
    let own = root.is_live().then(|| writable_on(&mount.point));
    let is_writable = own.as_ref().map(Option::is_some);
    let path = own.flatten().unwrap_or(mount.point);
    Some(ScratchDirectory { path, fs_type: mount.fs_type, device, free_bytes, is_writable })
}

/// Directories in which users may write who may not write into the top directory.
const OF_USERS: [&str; 2] = ["/var/tmp", "/tmp"];

/// A directory on this file system in which this user may create a file: the top, or where the user is.
fn writable_on(point: &Path) -> Option<PathBuf> {
    let device = |path: &Path| Some(path.metadata().ok()?.dev());
    let here = std::env::current_dir().ok();
    let others = here.into_iter().chain(OF_USERS.map(PathBuf::from));
    let mut candidates = std::iter::once(point.to_owned()).chain(others);
    candidates.find(|path| sys::may_write(path) && device(path) == device(point))
}
