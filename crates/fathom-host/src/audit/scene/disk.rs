//! A whole block device with a queue, and the hardware behind it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Target;
use crate::topology::address::Address;
use fathom_device::device::{DevNumber, DiskKind, Graph, Node};
use fathom_device::glob::glob;
use fathom_device::root::Root;

/// A disk, or a block device made of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disk {
    /// Kernel name.
    pub name: String,
    /// Device number.
    pub number: DevNumber,
    /// Directory in sysfs, links resolved.
    pub sys_dir: PathBuf,
    /// What kind of disk it is.
    pub kind: DiskKind,
    /// NVMe controllers that lead to it (`nvme0`), usually one.
    pub controllers: Vec<String>,
    /// Directories in sysfs of the PCI functions on the path to it, the root
    /// port first, the endpoint last. Empty where it is not on PCI.
    pub functions: Vec<PathBuf>,
}

impl Disk {
    /// A file in its queue directory.
    pub fn queue(&self, file: &str) -> PathBuf {
        self.sys_dir.join("queue").join(file)
    }

    /// The endpoint's directory in sysfs.
    pub fn function(&self) -> Option<&Path> {
        self.functions.last().map(PathBuf::as_path)
    }

    fn read(root: &Root, node: &Node) -> Self {
        let controllers = controllers(root, &node.sys_dir);
        let functions = functions_above(root, &node.sys_dir, &controllers);
        Self {
            name: node.name.clone(),
            number: node.number,
            sys_dir: node.sys_dir.clone(),
            kind: DiskKind::of(&node.name),
            controllers,
            functions,
        }
    }
}

/// The disks at the bottom of the targets, and the devices that are made of them.
pub(super) fn below(root: &Root, targets: &[Target]) -> (Vec<Disk>, Vec<Disk>) {
    let mut seen = BTreeSet::new();
    let (mut disks, mut stacked) = (Vec::new(), Vec::new());
    for graph in targets.iter().filter_map(|target| target.graph.as_ref().ok()) {
        for node in whole(graph) {
            if seen.insert(node.name.clone()) {
                let list = if is_stacked(root, node) { &mut stacked } else { &mut disks };
                list.push(Disk::read(root, node));
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

/// The `device` of an NVMe namespace is its controller, or with multipath its
/// subsystem, which has links to its controllers.
fn controllers(root: &Root, sys_dir: &Path) -> Vec<String> {
    let Ok(device) = root.resolve(sys_dir.join("device")) else {
        return Vec::new();
    };
    let name = device.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if name.starts_with("nvme-subsys") {
        let links = glob(root, &format!("{}/nvme#", device.display()));
        let names = links.iter().filter_map(|link| link.file_name());
        return names.map(|name| name.to_string_lossy().into_owned()).collect();
    }
    if name.starts_with("nvme") { vec![name] } else { Vec::new() }
}

/// A disk is below its function in sysfs. A disk that several controllers share
/// is not; there we use the function of the first controller.
fn functions_above(root: &Root, sys_dir: &Path, controllers: &[String]) -> Vec<PathBuf> {
    let own = functions(sys_dir);
    if !own.is_empty() {
        return own;
    }
    let controller = controllers.first().map(|name| format!("/sys/class/nvme/{name}"));
    let device = controller.map_or_else(|| sys_dir.join("device"), PathBuf::from);
    root.resolve(device).map(|device| functions(&device)).unwrap_or_default()
}

/// The parts of a path in sysfs that are PCI functions, `DDDD:BB:DD.F`.
fn functions(device: &Path) -> Vec<PathBuf> {
    let ancestors: Vec<&Path> = device.ancestors().collect();
    let is_function =
        |dir: &&&Path| dir.file_name().is_some_and(|name| name.to_string_lossy().parse::<Address>().is_ok());
    ancestors.iter().rev().filter(is_function).map(|dir| dir.to_path_buf()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_the_parts_that_are_addresses() {
        let path = Path::new("/sys/devices/pci0000:00/0000:00:03.1/0000:41:00.0/nvme/nvme0");
        let ends: Vec<_> =
            functions(path).into_iter().map(|dir| dir.file_name().unwrap().to_owned()).collect();
        assert_eq!(ends, ["0000:00:03.1", "0000:41:00.0"]);
        assert!(functions(Path::new("/sys/devices/virtual/block/md0")).is_empty());
    }
}
