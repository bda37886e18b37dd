//! A machine as one file that other people can audit.
//!
//! The file contains what the audit reads: the audit runs over a traced root,
//! and every path that it reads becomes an entry. Links are kept as links, and
//! refused files as refused. Then serial numbers, names and addresses are
//! replaced (see `redact`). The file is text, so its owner can check it.

mod redact;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::audit::{Audit, ELAPSED, Earlier, JobNeeds, Scene, checks};
use crate::snapshot::Snapshot;
use crate::topology::{MapRequest, Topology};
use fathom_device::device::Graph;
use fathom_device::root::{self, BESIDE, ERRORS, Root, Touched};
use fathom_device::tree::{Tree, TreeEntry};
use fathom_text::carried::of_os;

pub use redact::Redaction;

/// Records what the audit of `targets` (all real disks if there are none) and
/// the snapshot read of the machine at `root`. This takes a little longer than
/// `watch`, because counters are read twice.
pub fn record(root: &Root, targets: &[PathBuf], watch: Duration) -> Tree {
    let earlier = Earlier::recorded(root, checks::counters())
        .unwrap_or_else(|| Earlier::watch(root, checks::counters(), watch));
    let (traced, trace) = root.traced();
    let scene = Scene::new(&traced, targets, JobNeeds::default(), Some(earlier.clone()));
    Audit::take(&scene);
    let named = named(&scene);
    Snapshot::take(&traced, &named);
    let asked = named.iter().map(of_os).collect();
    // A machine without a map (without any block device) is captured too.
    let _ = Topology::read(&traced, &MapRequest { targets: asked, ..MapRequest::default() });
    let mut tree = lay(root, &trace.touched());
    keep_earlier(&mut tree, &earlier);
    tree.keep_what_text_holds();
    tree
}

fn named(scene: &Scene<'_>) -> Vec<PathBuf> {
    let graphs = scene.targets.iter().filter_map(|target| target.graph.as_ref().ok());
    graphs.map(Graph::target).map(|node| node.dev_path.clone()).collect()
}

fn keep_earlier(tree: &mut Tree, earlier: &Earlier) {
    let before = Path::new(BESIDE).join("earlier");
    for (path, text) in earlier.iter() {
        let path = path.strip_prefix("/").unwrap_or(path);
        tree.insert(before.join(path), TreeEntry::text(text));
    }
    for (path, bytes) in earlier.answers() {
        let path = path.strip_prefix("/").unwrap_or(path);
        tree.insert(before.join(path), TreeEntry::File { bytes: bytes.to_vec(), mode: None });
    }
    tree.insert(ELAPSED, TreeEntry::text(&earlier.elapsed.as_millis().to_string()));
}

// Makes a tree of everything that was read.
//
// Paths in `/sys` contain links. A reader of the tree follows the same links,
// so they are entries too, and a file is at the path where the links end.

const UNREAD: &str = "ENODATA";

fn lay(root: &Root, touched: &Touched) -> Tree {
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

#[cfg(test)]
mod tests;
