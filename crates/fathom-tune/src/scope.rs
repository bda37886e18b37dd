//! What a plan may touch: the disks under the targets, what leads to them,
//! and the host.
//!
//! It never contains devices above a target, and never the disk under a loop device's file system,
//! because other people's data are there.

use std::path::{Path, PathBuf};

use super::disk_key::DiskKey;
use super::error::TuneError;
use super::key::{OwnerKey, irq_actions, pci_model};
use fathom_device::device::{DevNumber, DiskKind, Graph, Node, Relation};
use fathom_device::mounts::{Mount, own_mounts};
use fathom_device::root::Root;

/// The machine, and the part of it that the targets use.
#[derive(Debug)]
pub struct Scope<'a> {
    /// The machine.
    pub root: &'a Root,
    /// Whole disks under the targets, array members included.
    pub disks: Vec<ScopeDisk>,
    /// File systems that hold a target.
    pub mounts: Vec<Mount>,
    /// Whether it is the whole machine: then controllers that have no disk any more count too.
    is_whole: bool,
}

/// A whole disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeDisk {
    /// Its key.
    pub key: DiskKey,
    /// Its directory among the devices.
    pub dir: PathBuf,
    /// Its family.
    pub kind: DiskKind,
}

impl<'a> Scope<'a> {
    /// Finds what the targets (devices, files, directories) use.
    pub fn of(root: &'a Root, targets: &[PathBuf]) -> Result<Self, TuneError> {
        let mut scope = Self { root, disks: Vec::new(), mounts: Vec::new(), is_whole: false };
        for target in targets {
            let number = match root.block_number_of(target) {
                Some(number) => number,
                None => scope.mounted_under(target)?,
            };
            scope.add(target, number)?;
        }
        Ok(scope)
    }

    /// The whole machine: what could be found for any target.
    pub(super) fn whole(root: &'a Root) -> Self {
        let mounts = own_mounts(root).unwrap_or_default();
        let mut scope = Self { root, disks: Vec::new(), mounts, is_whole: true };
        for name in root.list("/sys/block").unwrap_or_default() {
            let number = root.block_number_named(&name);
            let graph = number.and_then(|number| Graph::read(root, number).ok());
            let disk = graph.and_then(|graph| scope.disk(graph.target()));
            scope.disks.extend(disk);
        }
        scope
    }

    /// The device under a file or directory. A file system without a device
    /// (tmpfs, nfs) has no disk to tune.
    fn mounted_under(&mut self, target: &Path) -> Result<DevNumber, TuneError> {
        let unknown = |reason: &str| TuneError::Target { path: target.into(), reason: reason.to_owned() };
        if target.starts_with("/dev") {
            return Err(unknown("there is no such device"));
        }
        let path = if self.root.is_live() { existing(target) } else { Some(target.into()) };
        let path = path.ok_or_else(|| unknown("it does not exist"))?;
        let mounts = own_mounts(self.root).map_err(|e| unknown(&e.to_string()))?;
        let holding = mounts.into_iter().filter(|mount| path.starts_with(&mount.point));
        let mount = holding.max_by_key(|mount| mount.point.components().count());
        let mount = mount.ok_or_else(|| unknown("it is on no mounted file system"))?;
        let number = mount.block_number(self.root);
        if !self.mounts.contains(&mount) {
            self.mounts.push(mount);
        }
        number.ok_or_else(|| unknown("its file system is on no block device"))
    }

    fn add(&mut self, target: &Path, number: DevNumber) -> Result<(), TuneError> {
        let graph = Graph::read(self.root, number)
            .map_err(|e| TuneError::Target { path: target.into(), reason: e.to_string() })?;
        for node in graph.nodes().iter().filter(|node| is_under(node)) {
            if let Some(disk) = self.disk(node)
                && !self.disks.contains(&disk)
            {
                self.disks.push(disk);
            }
        }
        Ok(())
    }

    fn disk(&self, node: &Node) -> Option<ScopeDisk> {
        let key = DiskKey::of(self.root, &node.name)?;
        Some(ScopeDisk { key, dir: node.sys_dir.clone(), kind: DiskKind::of(&node.name) })
    }

    /// NVMe controllers of the disks: the one that a namespace belongs to, or all that lead to its
    /// subsystem.
    pub fn controllers(&self) -> Vec<OwnerKey> {
        let mut names: Vec<String> = Vec::new();
        for disk in self.disks.iter().filter(|disk| disk.kind == DiskKind::Nvme) {
            names.extend(self.controllers_of(disk));
        }
        if self.is_whole {
            names.extend(self.root.list("/sys/class/nvme").unwrap_or_default());
        }
        names.sort();
        names.dedup();
        names.into_iter().filter_map(|name| self.controller(name)).collect()
    }

    fn controllers_of(&self, disk: &ScopeDisk) -> Vec<String> {
        let Ok(device) = self.root.link_name(disk.dir.join("device")) else { return Vec::new() };
        if !device.starts_with("nvme-subsys") {
            return vec![device];
        }
        let names = self.root.list(format!("/sys/class/nvme-subsystem/{device}")).unwrap_or_default();
        names.into_iter().filter(|name| is_controller(name)).collect()
    }

    fn controller(&self, name: String) -> Option<OwnerKey> {
        let text = |file: &str| self.root.read_text(format!("/sys/class/nvme/{name}/{file}"));
        let (serial, address) = (text("serial").ok()?, text("address").unwrap_or_default());
        Some(OwnerKey::Controller { name, serial, address })
    }

    /// NVMe subsystems of the disks.
    pub fn subsystems(&self) -> Vec<OwnerKey> {
        let dirs = self.root.list("/sys/class/nvme-subsystem").unwrap_or_default();
        let ours: Vec<String> = self.controllers().iter().filter_map(controller_name).collect();
        let mut found = Vec::new();
        for dir in dirs.iter().map(|name| Path::new("/sys/class/nvme-subsystem").join(name)) {
            let holds = ours.iter().any(|name| self.root.exists(dir.join(name)));
            found.extend(self.root.read_text(dir.join("subsysnqn")).ok().filter(|_| holds));
        }
        found.into_iter().map(|nqn| OwnerKey::Subsystem { nqn }).collect()
    }

    /// The PCI functions from the root port down to the disks, each once.
    pub fn functions(&self) -> Vec<OwnerKey> {
        let mut addresses: Vec<String> = Vec::new();
        let controllers = self.controllers();
        let nvme = controllers.iter().filter_map(controller_name);
        let nvme = nvme.filter_map(|name| self.root.resolve(format!("/sys/class/nvme/{name}")).ok());
        for dir in self.disks.iter().map(|disk| disk.dir.clone()).chain(nvme) {
            let parts = dir.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
            addresses.extend(parts.filter(|part| is_address(part)));
        }
        addresses.sort();
        addresses.dedup();
        addresses.into_iter().filter_map(|address| self.function(address)).collect()
    }

    fn function(&self, address: String) -> Option<OwnerKey> {
        let dir = PathBuf::from(format!("/sys/bus/pci/devices/{address}"));
        let model = pci_model(self.root, &dir);
        self.root.exists(&dir).then_some(OwnerKey::Pci { address, model })
    }

    /// The interrupts of the PCI functions.
    pub fn interrupts(&self) -> Vec<OwnerKey> {
        let mut found = Vec::new();
        for key in self.functions() {
            let Ok(dir) = key.dir(self.root) else { continue };
            let numbers = self.root.list(dir.join("msi_irqs")).unwrap_or_default();
            found.extend(numbers.iter().filter_map(|number| number.parse::<u32>().ok()));
        }
        found.sort_unstable();
        found.into_iter().map(|irq| OwnerKey::Irq { irq, actions: irq_actions(self.root, irq) }).collect()
    }

    /// The keys of disks that `keep` accepts.
    pub fn disk_keys(&self, keep: impl Fn(&ScopeDisk) -> bool) -> impl Iterator<Item = OwnerKey> {
        self.disks.iter().filter(move |disk| keep(disk)).map(|disk| OwnerKey::Disk(disk.key.clone()))
    }

    /// Entries of a directory whose names begin with `prefix` and a digit,
    /// by number.
    pub fn numbered(&self, dir: &str, prefix: &str) -> Vec<u32> {
        let names = self.root.list(dir).unwrap_or_default();
        let numbers = names.iter().filter_map(|name| name.strip_prefix(prefix)?.parse().ok());
        let mut numbers: Vec<u32> = numbers.collect();
        numbers.sort_unstable();
        numbers
    }
}

/// The path without links, or that of the directory where it will be.
fn existing(target: &Path) -> Option<PathBuf> {
    let target = std::path::absolute(target).ok()?;
    target.ancestors().take(2).find_map(|path| path.canonicalize().ok())
}

/// The device itself, its disk, and what it is made of; whole disks only.
fn is_under(node: &Node) -> bool {
    let below = matches!(node.relation, Relation::Target | Relation::WholeDisk | Relation::Slave);
    below && node.partition.is_none()
}

fn is_controller(name: &str) -> bool {
    let number = name.strip_prefix("nvme");
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// The kernel name of a controller's key.
pub(super) fn controller_name(key: &OwnerKey) -> Option<String> {
    match key {
        OwnerKey::Controller { name, .. } => Some(name.clone()),
        _ => None,
    }
}

/// `0000:01:00.0`, as the last parts of a device's path are called.
fn is_address(part: &str) -> bool {
    let digits = |text: &str, len: usize| text.len() >= len && text.bytes().all(|b| b.is_ascii_hexdigit());
    let mut parts = part.split([':', '.']);
    let fields = [parts.next(), parts.next(), parts.next(), parts.next()];
    match fields {
        [Some(domain), Some(bus), Some(slot), Some(function)] => {
            digits(domain, 4) && digits(bus, 2) && digits(slot, 2) && digits(function, 1)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_path() {
        assert!(is_address("0000:01:00.0") && is_address("10000:e1:00.0"));
        assert!(!is_address("pci0000:00") && !is_address("nvme0n1") && !is_address("0:0:0:0"));
        assert!(is_controller("nvme12") && !is_controller("nvme0n1") && !is_controller("nvme"));
    }
}
