//! The disks of a scene: those at the bottom of the targets, and those that are made of them.

use std::collections::BTreeSet;

use super::{Scene, Target};
use fathom_device::device::{DiskKind, Graph, Node};
use fathom_device::inventory::Disk;
use fathom_device::root::Root;

/// The disks at the bottom of the targets, and the devices that are made of them.
pub(super) fn below(root: &Root, targets: &[Target]) -> (Vec<Disk>, Vec<Disk>) {
    let mut seen = BTreeSet::new();
    let (mut disks, mut stacked) = (Vec::new(), Vec::new());
    for graph in targets.iter().flat_map(Target::graphs) {
        for node in whole(graph) {
            if seen.insert(node.name.clone()) {
                let list = if is_stacked(root, node) { &mut stacked } else { &mut disks };
                list.push(Disk::of(root, node));
            }
        }
    }
    (disks, stacked)
}

/// The target (or its disk), all devices below it and all devices above it,
/// without partitions.
fn whole(graph: &Graph) -> impl Iterator<Item = &Node> {
    graph.nodes().iter().filter(|node| node.partition.is_none())
}

fn is_stacked(root: &Root, node: &Node) -> bool {
    let slaves = root.list(node.sys_dir.join("slaves")).unwrap_or_default();
    !slaves.is_empty() || matches!(DiskKind::of(&node.name), DiskKind::Loop)
}

impl Scene<'_> {
    /// The disks directly below an array or volume; a partition counts as its
    /// disk.
    pub fn members(&self, stacked: &Disk) -> Vec<&Disk> {
        let dir = stacked.sys_dir.join("slaves");
        let names = self.root.list(&dir).unwrap_or_default();
        let slaves: Vec<_> = names.iter().filter_map(|name| self.root.resolve(dir.join(name)).ok()).collect();
        let is_below = |disk: &&Disk| slaves.iter().any(|slave| slave.starts_with(&disk.sys_dir));
        self.disks.iter().filter(is_below).collect()
    }
}
