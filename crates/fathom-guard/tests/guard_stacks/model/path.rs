//! Where a path leads, and by which paths a file can be reached.

use std::path::{Path, PathBuf};

use super::{DeviceId, Dir, DirId, Entry, FileId, Model, Mount, Shows, SpaceId};

/// What a path leads to, links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    File(FileId),
    Dir(DirId),
    Device(DeviceId),
}

impl Model {
    /// What the kernel finds at the path.
    pub fn find(&self, space: SpaceId, path: &Path) -> Option<Found> {
        if let Some(device) = self.attached().find(|(_, device)| path == device.node()) {
            return Some(Found::Device(device.0));
        }
        let top = self.top(space, path)?;
        let (system, sub) = match &top.shows {
            Shows::File(file) => return (top.point == path).then_some(Found::File(*file)),
            Shows::Dir(system, sub) => (*system, joined(sub, path.strip_prefix(&top.point).ok()?)),
        };
        if let Some(dir) = self.dir_at(system, &sub) {
            return Some(Found::Dir(dir));
        }
        let dir = self.dir_at(system, sub.parent()?)?;
        match self.dirs[dir.0].names.get(sub.file_name()?)? {
            Entry::File(file) => Some(Found::File(*file)),
            Entry::Node(device) => self.device(*device).attached.then_some(Found::Device(*device)),
            Entry::Link(target) => self.find(space, target),
        }
    }

    /// Every visible path with the entry that it names.
    pub fn entries(&self, space: SpaceId) -> Vec<(PathBuf, Entry)> {
        let mut found = Vec::new();
        for (dir_path, dir) in self.dir_paths(space) {
            let names = self.dirs[dir.0].names.iter();
            let names = names.map(|(name, entry)| (dir_path.join(name), entry.clone()));
            found.extend(names.filter(|(path, _)| self.is_top(space, path, &dir_path)));
        }
        for mount in self.mounts_in(space) {
            let visible = self.top(space, &mount.point).is_some_and(|top| std::ptr::eq(top, mount));
            if let (Shows::File(file), true) = (&mount.shows, visible) {
                found.push((mount.point.clone(), Entry::File(*file)));
            }
        }
        found
    }

    /// Whether a file is bound over the name; else the path leads through its directory.
    fn is_top(&self, space: SpaceId, path: &Path, dir: &Path) -> bool {
        let (over, through) = (self.top(space, path), self.top(space, dir));
        over.map(std::ptr::from_ref) == through.map(std::ptr::from_ref)
    }

    /// The visible paths of all directories.
    pub fn dir_paths(&self, space: SpaceId) -> Vec<(PathBuf, DirId)> {
        let mut found = Vec::new();
        for mount in self.mounts_in(space) {
            for (at, dir) in self.dirs.iter().enumerate() {
                let path = path_through(mount, dir);
                let visible =
                    path.filter(|path| self.top(space, path).is_some_and(|top| std::ptr::eq(top, mount)));
                found.extend(visible.map(|path| (path, DirId(at))));
            }
        }
        found
    }

    pub fn mounts_in(&self, space: SpaceId) -> impl Iterator<Item = &Mount> {
        self.mounts.iter().filter(move |mount| mount.space == space && !mount.gone)
    }

    /// The mount through which a path leads: the last one made on it or above it. An earlier one
    /// further down is covered.
    pub fn top(&self, space: SpaceId, path: &Path) -> Option<&Mount> {
        self.mounts_in(space).filter(|mount| path.starts_with(&mount.point)).last()
    }

    fn dir_at(&self, system: super::SystemId, sub: &Path) -> Option<DirId> {
        let at = self.dirs.iter().position(|dir| dir.system == system && dir.sub == sub);
        at.map(DirId)
    }
}

/// Joining with an empty path would leave a slash at the end.
fn joined(sub: &Path, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() { sub.to_path_buf() } else { sub.join(rest) }
}

fn path_through(mount: &Mount, dir: &Dir) -> Option<PathBuf> {
    match &mount.shows {
        Shows::Dir(system, sub) if *system == dir.system => {
            dir.sub.strip_prefix(sub).ok().map(|rest| joined(&mount.point, rest))
        }
        _ => None,
    }
}
