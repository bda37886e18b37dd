//! The identity of a block device: everything that does not depend on the order in which the kernel
//! found it.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::device::by_id::ByIdNames;
use crate::device::{DevNumber, Graph, serial};
use crate::loops::backing_file;
use crate::root::{Root, Unknown};

/// The family of a disk, by the driver's naming.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiskKind {
    /// NVMe namespace.
    Nvme,
    /// SCSI, SAS, SATA, USB.
    Scsi,
    /// virtio-blk or Xen: a disk that a hypervisor made.
    Paravirtual,
    /// eMMC or SD card.
    Mmc,
    /// Persistent memory.
    Pmem,
    /// Loop device over a file.
    Loop,
    /// RAM: zram or brd.
    Ram,
    /// Device-mapper.
    DeviceMapper,
    /// md array.
    Md,
    /// nbd, rbd, ublk: a process or a network behind it.
    Remote,
    /// null_blk: nothing behind it.
    Null,
    /// Anything else.
    Other,
}

/// Kernel name prefixes; the longer of two that match comes first.
const KINDS: [(&str, DiskKind); 18] = [
    ("nvme", DiskKind::Nvme),
    ("nullb", DiskKind::Null),
    ("nbd", DiskKind::Remote),
    ("sd", DiskKind::Scsi),
    ("sr", DiskKind::Scsi),
    ("vd", DiskKind::Paravirtual),
    ("xvd", DiskKind::Paravirtual),
    ("mmcblk", DiskKind::Mmc),
    ("pmem", DiskKind::Pmem),
    ("loop", DiskKind::Loop),
    ("zram", DiskKind::Ram),
    ("ram", DiskKind::Ram),
    ("dm-", DiskKind::DeviceMapper),
    ("md", DiskKind::Md),
    ("rbd", DiskKind::Remote),
    ("ublkb", DiskKind::Remote),
    ("bcache", DiskKind::DeviceMapper),
    ("drbd", DiskKind::Remote),
];

impl DiskKind {
    /// The family of the disk with this kernel name.
    pub fn of(name: &str) -> Self {
        let found = KINDS.iter().find(|(prefix, _)| name.starts_with(prefix));
        found.map_or(DiskKind::Other, |(_, kind)| *kind)
    }

    /// Whether the "disk" is made of something else, so that its figures
    /// describe that something.
    pub fn is_virtual(self) -> bool {
        use DiskKind::{Mmc, Nvme, Other, Pmem, Scsi};
        !matches!(self, Nvme | Scsi | Mmc | Pmem | Other)
    }
}

/// Everything that distinguishes one block device from another, and its sizes. A partition has its
/// disk's serial, WWID, model and blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Identity {
    /// Kernel name: for messages, never for consent.
    pub kernel_name: String,
    /// Device number.
    pub dev: DevNumber,
    /// Partition number, for a partition.
    pub partition: Option<u32>,
    /// Serial number of the disk.
    pub serial: Option<String>,
    /// World-wide name (`eui.…`, `naa.…`, `uuid.…`, `LVM-…`).
    pub wwid: Option<String>,
    /// Names in `/dev/disk/by-id` that lead here.
    pub by_id: Vec<String>,
    /// File behind a loop device.
    pub backing_file: Option<PathBuf>,
    /// Size in bytes.
    pub size_bytes: u64,
    /// The kernel's sequence number of the disk; unique within a boot.
    pub diskseq: Option<u64>,
    /// Model, as the device gives it.
    pub model: Option<String>,
    /// Logical block in bytes: the smallest I/O.
    pub logical_block_bytes: Option<u32>,
    /// Physical block in bytes: the smallest write without read-modify-write.
    pub physical_block_bytes: Option<u32>,
    /// Whether the kernel takes it for a spinning disk.
    pub rotational: Option<bool>,
    /// Whether the medium can be removed, as the device says.
    pub removable: Option<bool>,
    /// Whether the kernel refuses writes to it.
    pub read_only: bool,
    /// Driver bound to the device.
    pub driver: Option<String>,
    /// Family.
    pub kind: DiskKind,
}

impl Identity {
    /// Reads the identity of the graph's target.
    pub fn read(root: &Root, graph: &Graph) -> Result<Self, Unknown> {
        let by_id = ByIdNames::read(root).of(graph.target().number);
        Self::with_names(root, graph, by_id)
    }

    /// The block device at this path; `None` where there is none, or it cannot be read.
    pub fn at(root: &Root, path: &Path) -> Option<Self> {
        let graph = Graph::read(root, root.block_number_of(path)?).ok()?;
        Self::read(root, &graph).ok()
    }

    /// The same with the names in `/dev/disk/by-id` that lead to the target.
    pub fn with_names(root: &Root, graph: &Graph, by_id: Vec<String>) -> Result<Self, Unknown> {
        let target = graph.target();
        let whole = graph.whole_disk();
        let dir = &whole.sys_dir;
        Ok(Self {
            kernel_name: target.name.clone(),
            dev: target.number,
            partition: target.partition,
            serial: serial::serial(root, dir, whole.number),
            wwid: serial::wwid(root, dir),
            by_id,
            backing_file: backing_file(root, &whole.name)?,
            size_bytes: target.size_bytes,
            diskseq: value(root, dir, "diskseq"),
            model: value(root, dir, "device/model"),
            logical_block_bytes: value(root, dir, "queue/logical_block_size"),
            physical_block_bytes: value(root, dir, "queue/physical_block_size"),
            rotational: flag(root, dir, "queue/rotational"),
            removable: flag(root, dir, "removable"),
            // That of a partition is its own; a disk set read-only covers both.
            read_only: root.read_text(target.sys_dir.join("ro")).as_deref() == Ok("1"),
            driver: driver(root, dir),
            kind: DiskKind::of(&whole.name),
        })
    }

    /// One line for messages: kernel name and what it is really called.
    pub fn describe(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.model.clone());
        parts.extend(self.serial.as_ref().map(|s| format!("serial {s}")));
        let backing = self.backing_file.as_ref();
        parts.extend(backing.map(|p| format!("backed by {}", p.display())));
        parts.push(format!("{} bytes", self.size_bytes));
        format!("{} ({})", self.kernel_name, parts.join(", "))
    }
}

/// The identities of all whole disks, to find out whether a name belongs to one device only. Paths
/// hidden behind NVMe multipath and devices that vanish while we look are left out.
pub fn all_disks(root: &Root) -> Result<Vec<Identity>, Unknown> {
    disks_named(root, &ByIdNames::read(root))
}

/// The same with the names in `/dev/disk/by-id` as they were read.
pub fn disks_named(root: &Root, by_id: &ByIdNames) -> Result<Vec<Identity>, Unknown> {
    let names = root.list("/sys/block")?;
    let visible = names.iter().filter(|name| {
        let hidden = root.read_text(format!("/sys/block/{name}/hidden"));
        hidden.as_deref() != Ok("1")
    });
    let disks = visible.filter_map(|name| {
        let graph = Graph::of_disk(root, root.block_number_named(name)?).ok()?;
        Identity::with_names(root, &graph, by_id.of(graph.target().number)).ok()
    });
    Ok(disks.collect())
}

fn value<T: FromStr>(root: &Root, dir: &Path, file: &str) -> Option<T> {
    root.read_value(dir.join(file)).ok()
}

fn flag(root: &Root, dir: &Path, file: &str) -> Option<bool> {
    match root.read_text(dir.join(file)).ok()?.as_str() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// An NVMe namespace's `device` is its controller, whose `device` is the
/// PCI function that has the driver.
fn driver(root: &Root, dir: &Path) -> Option<String> {
    let links = ["device/driver", "device/device/driver"];
    links.iter().find_map(|link| root.link_name(dir.join(link)).ok())
}
