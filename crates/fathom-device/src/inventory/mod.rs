//! What is below a target: target → block devices → disks → controllers → PCI functions.
//!
//! The audit, the tuning, the map and the snapshot all ask here. So they mean the same disks where
//! a user names the same target.
//!
//! [`Standing`] leads from a path to block devices, [`Graph`] from a block
//! device to what it is made of, and [`Disk`] from a disk to its controllers and PCI functions. A
//! loop device over a file ends the way down: the file's disk holds the data of others too, so
//! only a reader that wants it asks for the standing of that file.

mod disk;

pub use disk::{Disk, FIRMWARE, MODEL, chosen};

use crate::device::{DevNumber, Graph};
use crate::diskstat::disks_beneath;
use crate::mounts::{Mount, mount_of, pool_members};
use crate::root::{Root, Unknown};
use std::path::{Path, PathBuf};

/// A path, with the file system and the block devices that hold its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The file system of a file or directory; `None` for a block device.
    pub mount: Option<Mount>,
    /// The block device itself, or those of the file system. The first is the one that the mount
    /// names; the others are the further members of a file system on several devices (btrfs,
    /// bcachefs). A file system without a block device (tmpfs, nfs, overlay) has none.
    pub devices: Vec<DevNumber>,
}

impl Standing {
    /// Finds what is below a path. A file that does not exist yet is where it would be
    /// created. `None` if it is on no mounted file system.
    pub fn of(root: &Root, path: &Path) -> Option<Self> {
        if let Some(number) = root.block_number_of(path) {
            return Some(Self { mount: None, devices: vec![number] });
        }
        let mount = mount_of(root, path)?;
        let devices = mount.block_numbers(root, &pool_members(root));
        Some(Self { mount: Some(mount), devices })
    }

    /// The disks whose counters count the I/O on the path, each once: those of the first device,
    /// its own disk at the front, then those of the others.
    ///
    /// # Errors
    /// Where the devices below one of them cannot be read.
    pub fn counting_disks(&self, root: &Root) -> Result<Vec<String>, Unknown> {
        let mut names: Vec<String> = Vec::new();
        for device in &self.devices {
            let more = disks_beneath(root, *device)?;
            names.extend(more.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
        }
        Ok(names)
    }
}

/// What the firmware reports about a disk's node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Near {
    /// Number of the node; `None` where the firmware reports none (`-1`).
    pub node: Option<u32>,
    /// The file that was read.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

impl Disk {
    /// The node of the disk's PCI function, and for a disk that is not on PCI (persistent memory)
    /// that of the nearest device above it which has one. We read the function's own file and not
    /// `/sys/class/pci_bus`, which has an entry for each bus and not for each device.
    ///
    /// # Errors
    /// Where no device has such a file, or it cannot be read or understood.
    pub fn near(&self, root: &Root) -> Result<Near, Unknown> {
        let path = self.node_file(root);
        let path = path.ok_or_else(|| Unknown::new(&self.sys_dir, "it is not below a PCI function"))?;
        let text = root.read_text(&path)?;
        let node = match text.parse::<i64>() {
            Ok(-1) => None,
            Ok(node) => Some(u32::try_from(node).map_err(|_| Unknown::garbled(&path, &text))?),
            Err(_) => return Err(Unknown::garbled(&path, &text)),
        };
        Ok(Near { node, path, text })
    }

    fn node_file(&self, root: &Root) -> Option<PathBuf> {
        if let Some(function) = self.function() {
            return Some(function.join("numa_node"));
        }
        let devices = self.sys_dir.ancestors().take_while(|dir| dir.starts_with("/sys/devices"));
        let controllers = self.controllers.iter().map(|name| Path::new("/sys/class/nvme").join(name));
        let dirs = devices.map(Path::to_path_buf).chain(controllers);
        dirs.map(|dir| dir.join("numa_node")).find(|file| root.exists(file))
    }
}

/// The CPUs of the NUMA nodes that the disks below a path are near to, as the kernel lists them: `24-47`. `None` where a disk names
/// no node, or where all CPUs are on one node: then no CPU is nearer than another.
pub fn near_cpus(root: &Root, path: &Path) -> Option<String> {
    let standing = Standing::of(root, path)?;
    let mut nodes: Vec<u32> = Vec::new();
    for number in standing.devices {
        let graph = Graph::read(root, number).ok()?;
        for disk in graph.disks() {
            let node = Disk::of(root, disk).near(root).ok()?.node?;
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
    }
    let of_node = |node: u32| root.read_text(format!("/sys/devices/system/node/node{node}/cpulist")).ok();
    let has_several = of_node(1).is_some();
    let lists: Option<Vec<String>> = nodes.iter().map(|node| of_node(*node)).collect();
    lists.filter(|lists| has_several && !lists.is_empty()).map(|lists| lists.join(","))
}
