//! The identity of a block device: everything that does not depend on the order in which the kernel
//! found it.

use crate::device::{DevNumber, Graph};
use crate::loops::backing_file;
use crate::root::{Root, Unknown};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The family of a disk, by the driver's naming.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
        let entry = KINDS.iter().find(|(prefix, _)| name.starts_with(prefix));
        entry.map_or(DiskKind::Other, |(_, kind)| *kind)
    }

    /// Is this the kernel name of a SCSI disk, and not that of an optical drive?
    pub fn is_scsi_disk(name: &str) -> bool {
        name.starts_with("sd") && Self::of(name) == DiskKind::Scsi
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

    /// Is it a whole SCSI disk? The kernel gives a command for a partition, or for a device that is made of others, to the whole disk.
    pub fn is_scsi_disk(&self) -> bool {
        self.partition.is_none() && DiskKind::is_scsi_disk(&self.kernel_name)
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
            serial: serial(root, dir, whole.number),
            wwid: wwid(root, dir),
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

/// Which names lead to which device. A host with thousands of disks has several
/// names for each, so they are read once and not once for each disk.
#[derive(Debug, Clone, Default)]
pub struct ByIdNames(BTreeMap<DevNumber, Vec<String>>);

impl ByIdNames {
    /// Reads them; a machine without udev has none.
    pub fn read(root: &Root) -> Self {
        let dir = Path::new("/dev/disk/by-id");
        let mut names = BTreeMap::<DevNumber, Vec<String>>::new();
        for name in root.list(dir).unwrap_or_default() {
            if let Some(number) = root.block_number_of(&dir.join(&name)) {
                names.entry(number).or_default().push(name);
            }
        }
        Self(names)
    }

    /// The names of one device.
    pub fn of(&self, number: DevNumber) -> Vec<String> {
        self.0.get(&number).cloned().unwrap_or_default()
    }
}

// The names that a disk has from its maker: serial number and world-wide name.
//
// Each family keeps them in another place, so this is a list of places, and the first answer
// counts. Text that names nothing (blank, or one character repeated, as cheap USB bridges report)
// does not count as a serial.

/// Relative to the disk's directory: NVMe controllers and MMC cards
/// (`device/serial`), virtio and zoned null_blk (`serial`).
const SERIAL_FILES: [&str; 2] = ["device/serial", "serial"];

/// NVMe namespaces (`wwid`), SCSI and ATA (`device/wwid`), device-mapper
/// (`dm/uuid`), md (`md/uuid`).
const WWID_FILES: [&str; 4] = ["wwid", "device/wwid", "dm/uuid", "md/uuid"];

/// The serial number of the whole disk in `sys_dir`.
pub fn serial(root: &Root, sys_dir: &Path, number: DevNumber) -> Option<String> {
    let files = SERIAL_FILES.iter().map(|file| sys_dir.join(file));
    let mut texts = files.filter_map(|file| root.read_text(file).ok());
    texts
        .find_map(|text| meaningful(&text))
        .or_else(|| unit_serial_page(root, sys_dir))
        .or_else(|| udev_serial(root, number))
}

/// The world-wide name of the whole disk in `sys_dir`.
pub fn wwid(root: &Root, sys_dir: &Path) -> Option<String> {
    let files = WWID_FILES.iter().map(|file| sys_dir.join(file));
    let mut texts = files.filter_map(|file| root.read_text(file).ok());
    texts.find_map(|text| meaningful(&text))
}

/// SCSI vital product data page 0x80: four bytes of header, the last two the
/// length, then the serial (SPC-4 §7.8.16).
fn unit_serial_page(root: &Root, sys_dir: &Path) -> Option<String> {
    let page = root.read_bytes(sys_dir.join("device/vpd_pg80")).ok()?;
    let len = u16::from_be_bytes([*page.get(2)?, *page.get(3)?]);
    let text = page.get(4..)?;
    let text = text.get(..usize::from(len)).unwrap_or(text);
    meaningful(&String::from_utf8_lossy(text))
}

/// The serial that udev found, for bridges that report neither of the above.
fn udev_serial(root: &Root, number: DevNumber) -> Option<String> {
    let record = root.read_text(format!("/run/udev/data/b{number}")).ok()?;
    let mut lines = record.lines();
    let text = lines.find_map(|line| line.strip_prefix("E:ID_SERIAL_SHORT="))?;
    meaningful(text)
}

fn meaningful(text: &str) -> Option<String> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    // An md array with external metadata has a UUID of zeroes.
    let mut chars = text.chars().filter(|c| *c != '-');
    let first = chars.next()?;
    let says_something = chars.any(|c| c != first) && !text.contains('\u{fffd}');
    says_something.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::meaningful;

    #[test]
    fn placeholders_are_no_serial() {
        for text in
            ["", "   ", "\0\0", "00000000", "    FFFF  ", "a\u{fffd}", "00000000-0000-0000-0000-000000000000"]
        {
            assert_eq!(meaningful(text), None, "{text:?}");
        }
        assert_eq!(meaningful("uuid.0-1").as_deref(), Some("uuid.0-1"));
        assert_eq!(meaningful("  S3X9 12\0\0").as_deref(), Some("S3X9 12"));
    }
}
