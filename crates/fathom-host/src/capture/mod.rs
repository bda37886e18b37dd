//! A machine as one file that other people can audit.
//!
//! The file contains what the audit reads: the audit runs over a traced root,
//! and every path that it reads becomes an entry. Links are kept as links, and
//! refused files as refused. Then serial numbers, names and addresses are
//! replaced (see `redact`). The file is text, so its owner can check it.

mod lay;
mod redact;

use std::path::{Path, PathBuf};
use std::time::Duration;

use fathom_text::carried::of_os;

use crate::audit::{Audit, ELAPSED, Earlier, JobNeeds, Scene, checks};
use crate::snapshot::Snapshot;
use crate::topology::{MapRequest, Topology};
use fathom_device::device::Graph;
use fathom_device::root::{BESIDE, Root};
use fathom_device::tree::{Tree, TreeEntry};

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
    let mut tree = lay::lay(root, &trace.touched());
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

#[cfg(test)]
mod tests;
