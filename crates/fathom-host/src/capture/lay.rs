//! Makes a tree of everything that was read.
//!
//! Paths in `/sys` contain links. A reader of the tree follows the same links,
//! so they are entries too, and a file is at the path where the links end.

use std::path::{Path, PathBuf};

use fathom_device::root::{ERRORS, Root, Touched, names};
use fathom_device::tree::{Entry, Tree};

/// A path with more links than this is a loop; the kernel has the same limit.
const LINKS_MAX: usize = 40;

/// The error for a file that exists but was not read.
const UNREAD: &str = "ENODATA";

pub(super) fn lay(root: &Root, touched: &Touched) -> Tree {
    let mut layer = Layer { root, tree: Tree::default() };
    for (path, answer) in &touched.files {
        let mode = touched.modes.get(path).copied();
        layer.file(path, answer, mode);
    }
    for path in touched.modes.keys().chain(&touched.places) {
        layer.place(path);
    }
    for path in &touched.directories {
        layer.directory(path);
    }
    layer.tree
}

struct Layer<'a> {
    root: &'a Root,
    tree: Tree,
}

impl Layer<'_> {
    fn file(&mut self, path: &Path, answer: &Result<Vec<u8>, i32>, mode: Option<u32>) {
        let Some(path) = self.follow(path) else { return };
        match answer {
            Ok(bytes) => self.tree.insert(path, Entry::File { bytes: bytes.clone(), mode }),
            Err(libc::ENOENT | libc::ENOTDIR) => {}
            Err(code) => {
                let known = ERRORS.iter().find(|(_, known)| known == code);
                let name = known.map_or("EIO", |(name, _)| name);
                self.tree.insert(path, Entry::Unreadable(name.to_owned()));
            }
        }
    }

    /// Records that the path exists, if it does.
    fn place(&mut self, path: &Path) {
        let Some(path) = self.follow(path) else { return };
        if !self.root.exists(&path) || self.tree.get(&path).is_some() {
            return;
        }
        if !self.root.is_dir(&path) {
            self.tree.insert(path, Entry::Unreadable(UNREAD.to_owned()));
        } else if !self.tree.has_below(&path) {
            self.tree.insert(path, Entry::Directory);
        }
    }

    /// Records the directory and the names in it.
    fn directory(&mut self, path: &Path) {
        self.place(path);
        for name in self.root.list(path).unwrap_or_default() {
            self.place(&path.join(name));
        }
    }

    /// The path without links; every link on it is recorded. `None` for a loop.
    fn follow(&mut self, path: &Path) -> Option<PathBuf> {
        let mut left: Vec<std::ffi::OsString> = names(path);
        let mut at = PathBuf::from("/");
        let mut links = 0;
        while let Some(name) = left.pop() {
            if name == ".." {
                at.pop();
                continue;
            }
            let next = at.join(&name);
            let Ok(target) = self.root.read_link(&next) else {
                at = next;
                continue;
            };
            links += 1;
            if links > LINKS_MAX {
                return None;
            }
            self.tree.insert(&next, Entry::Link(target.clone()));
            if target.is_absolute() {
                at = PathBuf::from("/");
            }
            left.extend(names(&target));
        }
        Some(at)
    }
}
