//! The NUMA node that a disk is near to.

use std::path::{Path, PathBuf};

use super::Disk;
use crate::root::{Root, Unknown};

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
