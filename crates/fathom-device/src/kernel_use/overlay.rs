//! Overlays that are mounted. A file in a directory that is a layer of one is a file of the overlay too.
//!
//! The mount table names a layer by the path that the mounting process used. Where that path is absolute and a mount namespace
//! that fathom can look into has it, the directory decides: a file is in the layer if it is below that directory on the same
//! file system, whatever its path is. A path that is relative to an unknown directory decides nothing: there a file counts whose
//! own path ends in the same way, if the overlay shows a file at the place where it would show this one. A hard link to a file of
//! a layer that is itself outside of the layer is not recognised.

use std::cell::OnceCell;
use std::fs::File;
use std::path::{Component, Path, PathBuf};

use crate::device::DevNumber;
use crate::mounts::{Mount, all_mounts, own_mounts};
use crate::root::{Root, Unknown};
use crate::same_file::{FileId, FileView, Sharing, find, is_removed, layer_paths, times};
use crate::sys;

/// An overlay that is mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlay {
    /// Number of its file system.
    pub dev: DevNumber,
    /// Where it is mounted.
    pub point: PathBuf,
    /// Where it is mounted, as fathom reaches it.
    reached: PathBuf,
    layers: Vec<Layer>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Layer {
    /// As the mount names it.
    path: PathBuf,
    /// `None` where no directory is found at the path.
    directory: Option<Place>,
}

/// Where a file or directory is: on which file system, and under which path in it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    id: FileId,
    /// `None` before Linux 5.8, which does not tell the mount of a file.
    inner: Option<(DevNumber, PathBuf)>,
}

/// A file whose place is looked up when it is first needed.
pub(super) struct Located<'a> {
    root: &'a Root,
    file: Option<&'a File>,
    place: OnceCell<Option<Place>>,
}

/// Every overlay of the mount namespaces that fathom can look into.
pub(super) fn overlays(root: &Root) -> Result<Vec<Overlay>, Unknown> {
    let has_driver = root.read_text("/proc/filesystems").map_or(true, |known| known.contains("\toverlay\n"));
    if !root.is_live() || !has_driver {
        return Ok(Vec::new());
    }
    let mounts = all_mounts(root)?;
    let mut overlays: Vec<Overlay> = Vec::new();
    for mount in mounts.iter().filter(|mount| mount.fs_type == "overlay" && mount.root == Path::new("/")) {
        if overlays.iter().all(|known| known.dev != mount.dev) {
            overlays.push(Overlay::of(root, mount, &mounts));
        }
    }
    Ok(overlays)
}

impl Overlay {
    fn of(root: &Root, mount: &Mount, mounts: &[Mount]) -> Self {
        let layer = |path: PathBuf| {
            let directory = find(root, &path, |meta| meta.is_dir());
            Layer { directory: directory.and_then(|directory| Place::of(&directory, mounts)), path }
        };
        Self {
            dev: mount.dev,
            point: mount.point.clone(),
            reached: crate::same_file::seen_by(mount.pid, &mount.point),
            layers: layer_paths(mount).into_iter().map(layer).collect(),
        }
    }

    /// Whether the file is in one of the layers.
    pub(super) fn has(&self, located: &Located<'_>, view: &FileView) -> Sharing {
        let Some(place) = located.place() else { return Sharing::Different };
        let path = located.file.and_then(|file| sys::path_of(file).ok()).filter(|path| !is_removed(path));
        let mut strongest = Sharing::Different;
        for layer in &self.layers {
            let sharing = match (&layer.directory, &path) {
                (Some(directory), path) if directory.has(place, path.as_deref()) => Sharing::Same,
                (None, Some(path)) => self.shown(&layer.path, path, view),
                _ => Sharing::Different,
            };
            match sharing {
                Sharing::Same => return Sharing::Same,
                Sharing::Unknown => strongest = Sharing::Unknown,
                Sharing::Different => {}
            }
        }
        strongest
    }

    /// The same for a layer whose directory is not known.
    fn shown(&self, layer: &Path, path: &Path, view: &FileView) -> Sharing {
        let named = |part: &Component<'_>| matches!(part, Component::Normal(_));
        let tail: PathBuf = layer.components().filter(named).collect();
        let Some(ours) = view.asked().and_then(|pin| pin.metadata().ok()) else { return Sharing::Different };
        let mut strongest = Sharing::Different;
        for above in path.ancestors().skip(1).filter(|above| above.ends_with(&tail)) {
            let within = path.strip_prefix(above).unwrap_or(path);
            let Ok(shown) = std::fs::symlink_metadata(self.reached.join(within)) else { continue };
            // Beneath the overlay's own directory the path leads to this file itself.
            if !shown.is_file() || FileId::of(&shown) == FileId::of(&ours) {
                continue;
            }
            if times(&shown) == times(&ours) {
                return Sharing::Same;
            }
            if layer.is_relative() && !tail.as_os_str().is_empty() {
                strongest = Sharing::Unknown;
            }
        }
        strongest
    }
}

impl Place {
    fn of(file: &File, mounts: &[Mount]) -> Option<Self> {
        let id = FileId::of(&file.metadata().ok()?);
        let inner = || {
            let number = sys::statx_file(file).ok()?.mount_id?;
            let mount = mounts.iter().find(|mount| mount.id == number)?;
            let path = sys::path_of(file).ok().filter(|path| !is_removed(path))?;
            Some((mount.dev, mount.root.join(path.strip_prefix(&mount.point).ok()?)))
        };
        Some(Self { id, inner: inner() })
    }

    /// Whether the other place is below this directory.
    fn has(&self, other: &Place, path: Option<&Path>) -> bool {
        if let (Some((ours, above)), Some((theirs, below))) = (&self.inner, &other.inner) {
            return ours == theirs && below.starts_with(above);
        }
        let ids = path.into_iter().flat_map(|path| path.ancestors().skip(1));
        let ids = ids.map_while(|above| Some(FileId::of(&std::fs::symlink_metadata(above).ok()?)));
        ids.take_while(|above| above.dev == other.id.dev).any(|above| above == self.id)
    }
}

impl<'a> Located<'a> {
    pub(super) fn new(root: &'a Root, view: &'a FileView) -> Self {
        Self { root, file: view.asked(), place: OnceCell::new() }
    }

    fn place(&self) -> Option<&Place> {
        let look = || Place::of(self.file?, &own_mounts(self.root).unwrap_or_default());
        self.place.get_or_init(look).as_ref()
    }
}
