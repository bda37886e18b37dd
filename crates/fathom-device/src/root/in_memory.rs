//! A recorded machine in memory.
//!
//! It answers as a file system would, links followed, and nothing in it can
//! lead out of it: a capture may come from a stranger.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::place::{PathSpec, error_code, follow};
use crate::tree::{Tree, TreeEntry};

/// Permissions of a file of which the tree says nothing.
const MODE: u32 = 0o644;

#[derive(Debug)]
pub(super) struct Held {
    tree: Tree,
    /// Every directory with the names in it.
    directories: BTreeMap<PathBuf, BTreeSet<OsString>>,
}

impl Held {
    pub(super) fn new(tree: &Tree) -> Self {
        let mut directories: BTreeMap<PathBuf, BTreeSet<OsString>> = BTreeMap::new();
        for (path, entry) in tree.iter() {
            if *entry == TreeEntry::Directory {
                directories.entry(path.to_path_buf()).or_default();
            }
            let mut at = path;
            while let (Some(parent), Some(name)) = (at.parent(), at.file_name()) {
                let is_new = directories.entry(parent.to_path_buf()).or_default().insert(name.to_owned());
                if !is_new {
                    break;
                }
                at = parent;
            }
        }
        Self { tree: tree.clone(), directories }
    }

    /// The path with the links of its directories followed, not its own.
    fn own_place(&self, path: &Path) -> io::Result<PathBuf> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Ok(PathBuf::from("/"));
        };
        Ok(self.resolve(parent)?.join(name))
    }

    fn is_there(&self, path: &Path) -> bool {
        self.tree.get(path).is_some() || self.directories.contains_key(path)
    }
}

impl PathSpec for Held {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let path = self.resolve(path)?;
        match self.tree.get(&path) {
            Some(TreeEntry::File { bytes, .. }) => Ok(bytes.clone()),
            Some(TreeEntry::Unreadable(name)) => Err(io::Error::from_raw_os_error(error_code(name))),
            _ => Err(io::Error::from_raw_os_error(libc::EISDIR)),
        }
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.list(path).is_ok()
    }

    fn mode(&self, path: &Path) -> io::Result<u32> {
        let path = self.resolve(path)?;
        Ok(match self.tree.get(&path) {
            Some(TreeEntry::File { mode, .. }) => mode.unwrap_or(MODE),
            _ => MODE,
        })
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let path = self.resolve(path)?;
        if let Some(TreeEntry::Unreadable(name)) = self.tree.get(&path) {
            return Err(io::Error::from_raw_os_error(error_code(name)));
        }
        let names = self.directories.get(&path).ok_or_else(|| io::Error::from_raw_os_error(libc::ENOTDIR))?;
        Ok(names.iter().map(|name| name.to_string_lossy().into_owned()).collect())
    }

    /// Without following a link at the end.
    fn exists(&self, path: &Path) -> bool {
        self.own_place(path).is_ok_and(|path| self.is_there(&path))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        let path = self.own_place(path)?;
        match self.tree.get(&path) {
            Some(TreeEntry::Link(to)) => Ok(to.clone()),
            Some(_) => Err(io::Error::from_raw_os_error(libc::EINVAL)),
            None if self.is_there(&path) => Err(io::Error::from_raw_os_error(libc::EINVAL)),
            None => Err(io::Error::from_raw_os_error(libc::ENOENT)),
        }
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        follow(path, |at| match self.tree.get(at) {
            Some(TreeEntry::Link(to)) => Ok(Some(to.clone())),
            _ if self.is_there(at) => Ok(None),
            _ => Err(io::Error::from_raw_os_error(libc::ENOENT)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(text: &str) -> Held {
        let mut tree = Tree::default();
        tree.overlay(text).unwrap();
        Held::new(&tree)
    }

    #[test]
    fn links_are_followed_as_a_file_system_does() {
        let held = held(
            "/sys/devices/a/size = 7\n/sys/block/a -> ../devices/a\n/sys/loop -> loop\n/sys/up -> ../../../etc\n",
        );
        assert_eq!(held.read(Path::new("/sys/block/a/size")).unwrap(), b"7\n");
        assert_eq!(held.resolve(Path::new("/sys/block/a/size")).unwrap(), Path::new("/sys/devices/a/size"));
        assert_eq!(held.read_link(Path::new("/sys/block/a")).unwrap(), Path::new("../devices/a"));
        assert_eq!(held.list(Path::new("/sys/block/a")).unwrap(), ["size"]);
        assert!(held.read(Path::new("/sys/loop")).is_err());
        assert!(held.exists(Path::new("/sys/up")));
        assert!(held.read(Path::new("/sys/up/passwd")).is_err(), "a tree ends at its root");
    }

    #[test]
    fn what_was_refused_is_refused_again() {
        let held = held("/a/secret !EACCES\n/a/x 0444 = 1\n");
        let error = held.read(Path::new("/a/secret")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(held.list(Path::new("/a")).unwrap(), ["secret", "x"]);
        assert_eq!(held.mode(Path::new("/a/x")).unwrap(), 0o444);
    }
}
