//! How a device is attached to the machine.

use std::path::Path;

use fathom_device::device::{DiskKind, Identity, Node};
use fathom_device::inventory::Disk;
use fathom_device::root::Root;
use serde::Serialize;

/// How a device is attached, and what it is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Attachment {
    /// The kind.
    pub kind: AttachmentKind,
    /// Kernel names of the devices that it is made of; empty for hardware.
    pub made_of: Vec<String>,
}

/// The kind of an attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AttachmentKind {
    /// NVMe on PCIe.
    Nvme,
    /// NVMe over a network (TCP, RDMA, Fibre Channel).
    NvmeOverFabrics,
    /// SATA, or the older ATA.
    Sata,
    /// SAS.
    Sas,
    /// USB.
    Usb,
    /// SCSI of another kind, such as a RAID adapter or a hypervisor's.
    Scsi,
    /// SCSI over a network.
    Iscsi,
    /// Fibre Channel.
    FibreChannel,
    /// A disk that a hypervisor made.
    Virtio,
    /// A disk that Xen made.
    Xen,
    /// SD card or eMMC.
    Mmc,
    /// Persistent memory.
    Pmem,
    /// Memory: zram or a RAM disk.
    Memory,
    /// A loop device over a file or a device.
    Loop,
    /// An md array.
    Array,
    /// A device-mapper volume or a cache over other devices.
    Volume,
    /// A network or a process is behind it (nbd, rbd, drbd, ublk).
    Remote,
    /// Nothing is behind it (null_blk).
    Nothing,
    /// Anything else.
    Other,
}

/// Parts of the path in sysfs by which the kernel's transports of SCSI are known, more special ones
/// first: a SATA disk behind a SAS adapter has a part of SAS too.
const SCSI_PARTS: [(&str, AttachmentKind); 8] = [
    ("usb", AttachmentKind::Usb),
    ("ata", AttachmentKind::Sata),
    ("session", AttachmentKind::Iscsi),
    ("rport-", AttachmentKind::FibreChannel),
    ("end_device-", AttachmentKind::Sas),
    ("sas_", AttachmentKind::Sas),
    ("virtio", AttachmentKind::Virtio),
    ("vmbus", AttachmentKind::Scsi),
];

impl Attachment {
    /// Of a whole disk. A partition is attached as its disk is.
    pub(super) fn read(root: &Root, identity: &Identity, whole: &Node) -> Self {
        let made_of = root.list(whole.sys_dir.join("slaves")).unwrap_or_default();
        Self { kind: kind(root, identity, whole), made_of }
    }
}

fn kind(root: &Root, identity: &Identity, whole: &Node) -> AttachmentKind {
    match identity.kind {
        DiskKind::Nvme => nvme(root, whole),
        DiskKind::Scsi => scsi(root, &whole.sys_dir),
        DiskKind::Paravirtual if whole.name.starts_with("xvd") => AttachmentKind::Xen,
        DiskKind::Paravirtual => AttachmentKind::Virtio,
        DiskKind::Mmc => AttachmentKind::Mmc,
        DiskKind::Pmem => AttachmentKind::Pmem,
        DiskKind::Loop => AttachmentKind::Loop,
        DiskKind::Ram => AttachmentKind::Memory,
        DiskKind::DeviceMapper => AttachmentKind::Volume,
        DiskKind::Md => AttachmentKind::Array,
        DiskKind::Remote => AttachmentKind::Remote,
        DiskKind::Null => AttachmentKind::Nothing,
        DiskKind::Other => AttachmentKind::Other,
    }
}

/// By the first of its controllers; `transport` exists since Linux 4.8.
fn nvme(root: &Root, whole: &Node) -> AttachmentKind {
    let controllers = Disk::of(root, whole).controllers;
    let transport = controllers
        .first()
        .and_then(|name| root.read_text(Path::new("/sys/class/nvme").join(name).join("transport")).ok());
    match transport.as_deref() {
        Some("tcp" | "rdma" | "fc" | "loop") => AttachmentKind::NvmeOverFabrics,
        _ => AttachmentKind::Nvme,
    }
}

fn scsi(root: &Root, sys_dir: &Path) -> AttachmentKind {
    // libata and the translation of SAS adapters both give this vendor (SAT, ANSI INCITS 431).
    if root.read_text(sys_dir.join("device/vendor")).as_deref() == Ok("ATA") && !is_on(sys_dir, "usb") {
        return AttachmentKind::Sata;
    }
    let entry = SCSI_PARTS.iter().find(|(part, _)| is_on(sys_dir, part));
    entry.map_or(AttachmentKind::Scsi, |(_, kind)| *kind)
}

/// Whether a part of the path is this word and a number, or begins with this word if that ends with
/// a sign.
fn is_on(path: &Path, word: &str) -> bool {
    let rests = path.iter().filter_map(|part| part.to_str()?.strip_prefix(word));
    let is_sign = word.ends_with(['-', '_']);
    rests.into_iter().any(|rest| is_sign || rest.starts_with(|c: char| c.is_ascii_digit()) || word == "vmbus")
}

impl AttachmentKind {
    /// In a word or two.
    pub fn words(self) -> &'static str {
        match self {
            Self::Nvme => "NVMe",
            Self::NvmeOverFabrics => "NVMe network",
            Self::Sata => "SATA",
            Self::Sas => "SAS",
            Self::Usb => "USB",
            Self::Scsi => "SCSI",
            Self::Iscsi => "iSCSI",
            Self::FibreChannel => "Fibre Channel",
            Self::Virtio => "virtio",
            Self::Xen => "Xen",
            Self::Mmc => "SD or eMMC",
            Self::Pmem => "memory bus",
            Self::Memory => "memory",
            Self::Loop => "loop",
            Self::Array => "array",
            Self::Volume => "volume",
            Self::Remote => "network",
            Self::Nothing => "simulated",
            Self::Other => "other",
        }
    }

    /// Whether it is made of something else, so that its figures describe that.
    pub fn is_virtual(self) -> bool {
        use AttachmentKind::{Array, Loop, Memory, Nothing, Volume};
        matches!(self, Array | Loop | Memory | Nothing | Volume)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transport_of_scsi_is_in_the_path() {
        let root = Root::held(&fathom_device::tree::Tree::default());
        for (path, kind) in [
            (
                "/sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda",
                AttachmentKind::Sata,
            ),
            ("/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host4/block/sdb", AttachmentKind::Usb),
            ("/sys/devices/platform/host3/session1/target3:0:0/3:0:0:1/block/sdc", AttachmentKind::Iscsi),
            (
                "/sys/devices/pci0000:00/0000:00:01.0/host0/port-0:0/end_device-0:0/block/sdd",
                AttachmentKind::Sas,
            ),
            (
                "/sys/devices/pci0000:00/0000:00:06.0/virtio3/host2/target2:0:0/block/sde",
                AttachmentKind::Virtio,
            ),
            (
                "/sys/devices/pci0000:00/0000:00:02.0/host1/rport-1:0-0/block/sdf",
                AttachmentKind::FibreChannel,
            ),
            ("/sys/devices/pci0000:00/0000:00:03.0/host5/target5:0:0/block/sdg", AttachmentKind::Scsi),
        ] {
            assert_eq!(scsi(&root, Path::new(path)), kind, "{path}");
        }
    }
}
