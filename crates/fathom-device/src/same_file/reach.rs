//! The file at a path that some process gave to the kernel.

use super::FileId;
use super::kind::FsKind;
use crate::device::DevNumber;
use crate::mounts::{Mount, all_mounts, other_namespaces};
use crate::root::Root;
use crate::sys;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Pins the first file at `path` that is wanted, as we see the path or as
/// another mount namespace does. `None` where no namespace that we may look
/// into has it there.
pub(crate) fn find(root: &Root, path: &Path, is_wanted: impl Fn(&Metadata) -> bool) -> Option<File> {
    if !root.is_live() || !path.is_absolute() {
        return None;
    }
    let wanted = |path: PathBuf| {
        let file = sys::pin(&path).ok()?;
        is_wanted(&file.metadata().ok()?).then_some(file)
    };
    let others = || other_namespaces(root).unwrap_or_default();
    wanted(path.to_path_buf()).or_else(|| others().into_iter().find_map(|pid| wanted(seen_by(pid, path))))
}

/// The same for the file with these numbers.
pub(super) fn reach(root: &Root, path: &Path, id: FileId) -> Option<File> {
    find(root, path, |meta| FileId::of(meta) == id)
}

/// A path of another process's mount namespace and root, as we reach it.
pub(crate) fn seen_by(pid: u32, path: &Path) -> PathBuf {
    let inside = path.strip_prefix("/").unwrap_or(path);
    Path::new("/proc").join(pid.to_string()).join("root").join(inside)
}

/// The kind of the file system of a file that cannot be reached: it is that
/// of the directory where it was, or of the mount with this number.
pub(super) fn kind_of(root: &Root, path: &Path, dev: DevNumber) -> FsKind {
    let directory = || {
        let is_it = |meta: &Metadata| meta.is_dir() && FileId::of(meta).dev == dev;
        let pin = find(root, path.parent()?, is_it)?;
        Some(FsKind::of_magic(dev, sys::file_system(&pin).ok()?.magic))
    };
    let unseen = || if may_be_served(root, dev) { FsKind::Unknown } else { FsKind::Unserved };
    let mounted = || Some(kind_of_mount(root, dev)).filter(|kind| *kind != FsKind::Unknown);
    let known = FsKind::of_device(dev).or_else(directory).or_else(mounted);
    known.or_else(|| kind_of_subvolume(root, dev)).unwrap_or_else(unseen)
}

/// A btrfs subvolume has a number that no mount has, but the directory has it
/// where the subvolume is mounted.
fn kind_of_subvolume(root: &Root, dev: DevNumber) -> Option<FsKind> {
    let mounts = all_mounts(root).ok().filter(|_| root.is_live())?;
    let kind = |mount: Mount| {
        let directory = sys::pin(&seen_by(mount.pid, &mount.point)).ok()?;
        let is_it = FileId::of(&directory.metadata().ok()?).dev == dev;
        is_it.then(|| Some(FsKind::of_magic(dev, sys::file_system(&directory).ok()?.magic)))?
    };
    mounts.into_iter().filter(|mount| mount.fs_type == "btrfs").find_map(kind)
}

pub(super) fn kind_of_mount(root: &Root, dev: DevNumber) -> FsKind {
    mount_with(root, dev).map_or(FsKind::Unknown, |mount| FsKind::of_name(dev, &mount.fs_type))
}

/// A mount of the file system with this number, in any namespace.
pub(super) fn mount_with(root: &Root, dev: DevNumber) -> Option<Mount> {
    all_mounts(root).ok()?.into_iter().find(|mount| mount.dev == dev)
}

/// Whether a mounted overlay may make one file of two: owner and times of one file, data of another
/// that has another name.
pub(super) fn shows_in_parts(root: &Root) -> bool {
    let in_parts = |mounts: Vec<Mount>| mounts.iter().any(|mount| mount.options.contains("metacopy=on"));
    all_mounts(root).map_or(true, in_parts)
}

/// What the kernel adds to a path whose last name was removed since.
const REMOVED: &[u8] = b" (deleted)";

/// Whether the name at the end of a path from the kernel was removed since.
pub(crate) fn is_removed(path: &Path) -> bool {
    path.as_os_str().as_bytes().ends_with(REMOVED)
}

/// The name at the end of a path from the kernel, removed or not.
pub(super) fn last_name(path: &Path) -> Option<OsString> {
    let name = path.file_name()?.as_bytes();
    Some(OsStr::from_bytes(name.strip_suffix(REMOVED).unwrap_or(name)).to_owned())
}

// Whether a server may be behind a file system that no visible mount shows, for example because it
// was unmounted lazily.
//
// A server (of a network, or of FUSE) may give one file several inode numbers. The kernel does not
// report the kind of a file system that no mount table shows. But every file system with a server
// has a backing device information of its own in `/sys/class/bdi` as long as it exists: under its
// device number (FUSE and NFS, by Documentation/ABI/testing/sysfs-class-bdi), or under a name and
// a count (`cifs-1`; super_setup_bdi in fs/super.c). File systems in memory and overlays have
// none.

/// What stores its own files and is registered under a name and a count, or
/// belongs to no file system.
const WITHOUT_SERVER: [&str; 6] = ["btrfs", "bcachefs", "zfs", "ubifs", "mtd", "default"];

/// Whether a server may be behind it; also true where the kernel does not say.
fn may_be_served(root: &Root, dev: DevNumber) -> bool {
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
