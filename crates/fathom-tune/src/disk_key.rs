//! Which disk it is, by properties that do not change.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use fathom_device::device::serial;
use fathom_device::root::Root;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
            serial: serial::serial(root, &dir, number),
            wwid: serial::wwid(root, &dir),
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
