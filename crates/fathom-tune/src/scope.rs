//! What a plan may touch: the disks under the targets, what leads to them,
//! and the host.
//!
//! It never contains devices above a target, and never the disk under a loop device's file system,
//! because other people's data are there.

use super::error::TuneError;
use super::key::{DiskKey, OwnerKey, irq_actions, pci_model};
use fathom_device::address::Address;
use fathom_device::device::{DevNumber, Graph, Node};
use fathom_device::inventory::{self, Standing};
use fathom_device::mounts::{Mount, own_mounts};
use fathom_device::root::Root;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeDisk {
    pub key: DiskKey,
    /// The disk, with its controllers and PCI functions.
    pub device: inventory::Disk,
}

impl<'a> Scope<'a> {
    /// Finds what the targets (devices, files, directories) use.
    pub fn of(root: &'a Root, targets: &[PathBuf]) -> Result<Self, TuneError> {
        let mut scope = Self { root, disks: Vec::new(), mounts: Vec::new(), is_whole: false };
        for target in targets {
            let standing = standing(root, target)?;
            if let Some(mount) = standing.mount
                && !scope.mounts.contains(&mount)
            {
                scope.mounts.push(mount);
            }
            for number in standing.devices {
                scope.add(target, number)?;
            }
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

    fn add(&mut self, target: &Path, number: DevNumber) -> Result<(), TuneError> {
        let graph = Graph::read(self.root, number)
            .map_err(|e| TuneError::Target { path: target.into(), reason: e.to_string() })?;
        for node in graph.disks() {
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
        Some(ScopeDisk { key, device: inventory::Disk::of(self.root, node) })
    }

    /// NVMe controllers that lead to the disks.
    pub fn controllers(&self) -> Vec<OwnerKey> {
        let ours = self.disks.iter().flat_map(|disk| disk.device.controllers.iter().cloned());
        let mut names: Vec<String> = ours.collect();
        if self.is_whole {
            names.extend(self.root.list("/sys/class/nvme").unwrap_or_default());
        }
        names.sort();
        names.dedup();
        names.into_iter().filter_map(|name| self.controller(name)).collect()
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
        let mut nqns = Vec::new();
        for dir in dirs.iter().map(|name| Path::new("/sys/class/nvme-subsystem").join(name)) {
            let holds = ours.iter().any(|name| self.root.exists(dir.join(name)));
            nqns.extend(self.root.read_text(dir.join("subsysnqn")).ok().filter(|_| holds));
        }
        nqns.into_iter().map(|nqn| OwnerKey::Subsystem { nqn }).collect()
    }

    /// The PCI functions from the root port down to the disks, each once.
    pub fn functions(&self) -> Vec<OwnerKey> {
        let controllers = self.controllers();
        let nvme = controllers.iter().filter_map(controller_name);
        let nvme = nvme.filter_map(|name| self.root.resolve(format!("/sys/class/nvme/{name}")).ok());
        let ways = self.disks.iter().flat_map(|disk| &disk.device.ways).filter_map(|way| way.last());
        let ends = ways.cloned().chain(nvme);
        let addresses: BTreeSet<Address> = ends.flat_map(|end| Address::all_in(&end)).collect();
        addresses.into_iter().filter_map(|address| self.function(address)).collect()
    }

    fn function(&self, address: Address) -> Option<OwnerKey> {
        let dir = PathBuf::from(address.sys_dir());
        let model = pci_model(self.root, &dir);
        self.root.exists(&dir).then(|| OwnerKey::Pci { address: address.to_string(), model })
    }

    /// The interrupts of the PCI functions.
    pub fn interrupts(&self) -> Vec<OwnerKey> {
        let mut irqs = Vec::new();
        for key in self.functions() {
            let Ok(dir) = key.dir(self.root) else { continue };
            irqs.extend(self.root.numbers(dir.join("msi_irqs"), ""));
        }
        irqs.sort_unstable();
        irqs.into_iter().map(|irq| OwnerKey::Irq { irq, actions: irq_actions(self.root, irq) }).collect()
    }

    /// The keys of disks that `keep` accepts.
    pub fn disk_keys(&self, keep: impl Fn(&ScopeDisk) -> bool) -> impl Iterator<Item = OwnerKey> {
        self.disks.iter().filter(move |disk| keep(disk)).map(|disk| OwnerKey::Disk(disk.key.clone()))
    }
}

/// The devices below the target. A file system without a device (tmpfs, nfs) has no disk to tune.
fn standing(root: &Root, target: &Path) -> Result<Standing, TuneError> {
    let unknown = |reason: &str| TuneError::Target { path: target.into(), reason: reason.to_owned() };
    if root.block_number_of(target).is_none() {
        if target.starts_with("/dev") {
            return Err(unknown("there is no such device"));
        }
        if root.is_live() && !could_be(target) {
            return Err(unknown("it does not exist"));
        }
    }
    let standing = Standing::of(root, target);
    let standing = standing.ok_or_else(|| unknown("it is on no mounted file system"))?;
    match standing.devices.is_empty() {
        true => Err(unknown("its file system is on no block device")),
        false => Ok(standing),
    }
}

/// Whether it is there, or the directory where it will be.
fn could_be(target: &Path) -> bool {
    std::path::absolute(target).is_ok_and(|target| target.ancestors().take(2).any(Path::exists))
}

/// The kernel name of a controller's key.
pub(super) fn controller_name(key: &OwnerKey) -> Option<String> {
    match key {
        OwnerKey::Controller { name, .. } => Some(name.clone()),
        _ => None,
    }
}
