//! Makes a tree of everything that was read.
//!
//! Paths in `/sys` contain links. A reader of the tree follows the same links,
//! so they are entries too, and a file is at the path where the links end.

use std::path::{Path, PathBuf};

use fathom_device::root::{self, ERRORS, Root, Touched};
use fathom_device::tree::{Tree, TreeEntry};

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
            Ok(bytes) => self.tree.insert(path, TreeEntry::File { bytes: bytes.clone(), mode }),
            Err(libc::ENOENT | libc::ENOTDIR) => {}
            Err(code) => {
                let known = ERRORS.iter().find(|(_, known)| known == code);
                let name = known.map_or("EIO", |(name, _)| name);
                self.tree.insert(path, TreeEntry::Unreadable(name.to_owned()));
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
            self.tree.insert(path, TreeEntry::Unreadable(UNREAD.to_owned()));
        } else if !self.tree.has_below(&path) {
            self.tree.insert(path, TreeEntry::Directory);
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
        let leads = |at: &Path| {
            let to = self.root.read_link(at).ok();
            to.iter().for_each(|to| self.tree.insert(at, TreeEntry::Link(to.clone())));
            Ok(to)
        };
        root::follow(path, leads).ok()
    }
}
