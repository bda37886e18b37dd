//! What a setting belongs to, by properties that do not change.
//!
//! `nvme0` may be another drive after a reset, and CPU 3 may be offline. A
//! journal therefore names the owner of a setting by serial number, WWID or
//! hardware address, and it is looked up again whenever it is needed.

use fathom_device::device::{self, DevNumber};
use fathom_device::mounts::{Mount, own_mounts};
use fathom_device::root::Root;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// The owner of a setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OwnerKey {
    /// The machine as a whole.
    Host,
    /// A logical CPU.
    Cpu {
        /// Its number.
        cpu: u32,
    },
    /// CPUs that share a clock.
    Policy {
        /// Name, `policy0`.
        policy: String,
    },
    /// A whole disk.
    Disk(DiskKey),
    /// An NVMe controller.
    Controller {
        /// Kernel name when it was found.
        name: String,
        /// Serial number.
        serial: String,
        /// PCI address, or what its transport calls it: two controllers of
        /// one drive share the serial.
        address: String,
    },
    /// An NVMe subsystem.
    Subsystem {
        /// Qualified name.
        nqn: String,
    },
    /// A PCI function.
    Pci {
        /// `0000:01:00.0`.
        address: String,
        /// Vendor and device, `0x8086:0x0a54`: a card put in its place is another.
        model: String,
    },
    /// An interrupt.
    Irq {
        /// Its number.
        irq: u32,
        /// What is registered on it.
        actions: String,
    },
    /// A SCSI or SATA host.
    ScsiHost {
        /// Kernel name, `host0`.
        host: String,
        /// Its path among the devices, which ends in its number.
        path: PathBuf,
    },
    /// A systemd unit.
    Unit {
        /// `irqbalance.service`.
        unit: String,
    },
    /// A mounted file system.
    Mount {
        /// The mount point.
        point: PathBuf,
        /// The device number of the file system.
        dev: DevNumber,
    },
}

/// The owner of a setting is not there any more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} is gone")]
pub struct Gone(pub String);

impl OwnerKey {
    /// The directory of its settings now.
    pub fn dir(&self, root: &Root) -> Result<PathBuf, Gone> {
        let place = match self {
            OwnerKey::Host | OwnerKey::Unit { .. } => Some(PathBuf::from("/")),
            OwnerKey::Cpu { cpu } => there(root, format!("/sys/devices/system/cpu/cpu{cpu}")),
            OwnerKey::Policy { policy } => there(root, format!("/sys/devices/system/cpu/cpufreq/{policy}")),
            OwnerKey::Disk(disk) => {
                disk.name_now(root).and_then(|name| there(root, format!("/sys/block/{name}")))
            }
            OwnerKey::Controller { serial, address, .. } => controller(root, serial, address),
            OwnerKey::Subsystem { nqn } => holding(root, "/sys/class/nvme-subsystem", "subsysnqn", nqn),
            OwnerKey::Pci { address, model } => {
                let dir = format!("/sys/bus/pci/devices/{address}");
                there(root, dir).filter(|dir| pci_model(root, dir) == *model)
            }
            OwnerKey::Irq { irq, actions } => {
                there(root, format!("/proc/irq/{irq}")).filter(|_| irq_actions(root, *irq) == *actions)
            }
            OwnerKey::ScsiHost { host, path } => {
                let dir = there(root, format!("/sys/class/scsi_host/{host}"));
                dir.filter(|dir| root.resolve(dir).is_ok_and(|now| now == *path))
            }
            OwnerKey::Mount { point, dev } => mounted(root, point).filter(|m| m.dev == *dev).map(|m| m.point),
        };
        place.ok_or_else(|| Gone(self.to_string()))
    }
}

fn there(root: &Root, dir: String) -> Option<PathBuf> {
    root.exists(&dir).then(|| PathBuf::from(dir))
}

pub(super) fn mounted(root: &Root, point: &Path) -> Option<Mount> {
    own_mounts(root).ok()?.into_iter().rfind(|mount| mount.point == *point)
}

/// The entry of a class whose file holds the text.
fn holding(root: &Root, class: &str, file: &str, text: &str) -> Option<PathBuf> {
    let dirs = root.list(class).ok()?.into_iter().map(|name| Path::new(class).join(name));
    let mut dirs = dirs.filter(|dir| root.read_text(dir.join(file)).is_ok_and(|held| held == text));
    dirs.next()
}

fn controller(root: &Root, serial: &str, address: &str) -> Option<PathBuf> {
    let class = Path::new("/sys/class/nvme");
    let dirs = root.list(class).ok()?.into_iter().map(|name| class.join(name));
    let text = |dir: &Path, file: &str| root.read_text(dir.join(file)).unwrap_or_default();
    let mut same = dirs.filter(|dir| text(dir, "serial") == serial && text(dir, "address") == address);
    same.next()
}

pub(super) fn pci_model(root: &Root, dir: &Path) -> String {
    let text = |file: &str| root.read_text(dir.join(file)).unwrap_or_default();
    format!("{}:{}", text("vendor"), text("device"))
}

pub(super) fn irq_actions(root: &Root, irq: u32) -> String {
    root.read_text(format!("/sys/kernel/irq/{irq}/actions")).unwrap_or_default()
}

impl fmt::Display for OwnerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OwnerKey::Host => write!(f, "host"),
            OwnerKey::Cpu { cpu } => write!(f, "CPU {cpu}"),
            OwnerKey::Policy { policy } => write!(f, "{policy}"),
            OwnerKey::Disk(disk) => write!(f, "{disk}"),
            OwnerKey::Controller { name, serial, .. } => write!(f, "{name} (serial {serial})"),
            OwnerKey::Subsystem { nqn } => write!(f, "{nqn}"),
            OwnerKey::Pci { address, .. } => write!(f, "{address}"),
            OwnerKey::Irq { irq, actions } => write!(f, "interrupt {irq} ({actions})"),
            OwnerKey::ScsiHost { host, .. } => write!(f, "{host}"),
            OwnerKey::Unit { unit } => write!(f, "{unit}"),
            OwnerKey::Mount { point, dev } => write!(f, "{} ({dev})", point.display()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiskKey {
    /// Kernel name when it was found: a hint, no proof.
    pub name: String,
    pub serial: Option<String>,
    pub wwid: Option<String>,
    /// The kernel's sequence number: all that tells disks without a serial
    /// from each other, and never used twice in one boot.
    pub diskseq: Option<u64>,
}

impl DiskKey {
    /// The key of the disk with this kernel name. No file of its queue is read, because the read
    /// would wait behind a write that waits for the disk.
    pub fn of(root: &Root, name: &str) -> Option<Self> {
        let number = root.block_number_named(name)?;
        let dir = root.resolve(format!("/sys/dev/block/{number}")).ok()?;
        Some(Self {
            name: name.to_owned(),
            serial: device::serial(root, &dir, number),
            wwid: device::wwid(root, &dir),
            diskseq: root.read_value(dir.join("diskseq")).ok(),
        })
    }

    /// The kernel name of this disk now. Several disks can share serial and WWID (paths to one
    /// drive): then the sequence number decides, then the name. If neither can decide, there is no
    /// answer.
    pub fn name_now(&self, root: &Root) -> Option<String> {
        let hinted = Self::of(root, &self.name);
        if self.diskseq.is_some() && hinted.as_ref() == Some(self) {
            return Some(self.name.clone());
        }
        let names = root.list("/sys/block").ok()?;
        let all = names.iter().filter_map(|name| Self::of(root, name));
        let same: Vec<DiskKey> = all.filter(|disk| self.is_same_drive(disk)).collect();
        let by_sequence = same.iter().find(|disk| self.diskseq.is_some() && disk.diskseq == self.diskseq);
        let by_name = same.iter().find(|disk| disk.name == self.name);
        let only = same.first().filter(|_| same.len() == 1);
        by_sequence.or(by_name).or(only).map(|disk| disk.name.clone())
    }

    fn is_same_drive(&self, other: &DiskKey) -> bool {
        if self.serial.is_none() && self.wwid.is_none() {
            // The queue of a loop device, and what was set there, outlives what
            // is attached to it.
            let has_own_queue = self.name.starts_with("loop");
            return other.name == self.name && (has_own_queue || other.diskseq == self.diskseq);
        }
        other.serial == self.serial && other.wwid == self.wwid
    }
}

impl fmt::Display for DiskKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.serial.as_ref().or(self.wwid.as_ref());
        match named {
            Some(named) => write!(f, "{} ({named})", self.name),
            None => write!(f, "{}", self.name),
        }
    }
}
