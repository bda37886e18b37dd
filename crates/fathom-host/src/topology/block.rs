//! Block devices: disks, partitions, arrays, volumes, loop devices, and what
//! each is made of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::address::Address;
use super::drive::Drive;
use super::fact::Reading;
use fathom_device::device::{DevNumber, DiskKind};
use fathom_device::inventory::Disk;
use fathom_device::loops::{LoopDevice, loop_devices};
use fathom_device::root::{Root, Unknown};

/// The directory of all block devices, including partitions.
const BLOCKS: &str = "/sys/class/block";

/// A block device.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BlockDevice {
    /// Kernel name.
    pub name: String,
    /// Device number.
    pub number: DevNumber,
    /// What kind of disk it is.
    pub kind: DiskKind,
    /// Partition number, for a partition.
    pub partition: Option<u32>,
    /// Size in bytes.
    pub size_bytes: Reading<u64>,
    /// What it is made of: a partition's disk, an array's members, the device
    /// under a loop.
    pub parents: Vec<String>,
    /// Its own PCI functions: several for a drive with several paths; none for
    /// a device that is made of others.
    pub functions: Vec<Address>,
    /// Why no link is known for a disk, if none is.
    pub no_link: Option<String>,
    /// Facts about the hardware.
    pub drive: Option<Drive>,
    /// Its directory in sysfs.
    #[serde(skip)]
    pub dir: PathBuf,
}

/// Block devices by name.
pub type BlockDevices = BTreeMap<String, BlockDevice>;

/// Reads every block device with a size; others (an unused loop device, an
/// empty card reader) are left out.
pub fn read(root: &Root) -> Result<BlockDevices, Unknown> {
    let names = if root.exists(BLOCKS) { root.list(BLOCKS)? } else { Vec::new() };
    let loops = loop_devices(root).unwrap_or_default();
    let blocks = names.iter().filter_map(|name| block(root, name, &loops));
    Ok(blocks.map(|block| (block.name.clone(), block)).collect())
}

fn block(root: &Root, name: &str, loops: &[LoopDevice]) -> Option<BlockDevice> {
    let link = Path::new(BLOCKS).join(name);
    let dir = root.resolve(&link).ok()?;
    let number = root.read_value(dir.join("dev")).ok()?;
    // sysfs counts in 512-byte units whatever the sector size.
    let size_bytes = Reading::read(root, dir.join("size"), |text| text.parse::<u64>().ok()?.checked_mul(512));
    let is_hidden = root.read_text(dir.join("hidden")).as_deref() == Ok("1");
    if is_hidden || size_bytes.value == Some(0) {
        return None;
    }
    let partition = root.read_value(dir.join("partition")).ok();
    let parents = parents(root, &dir, partition.is_some(), loops.iter().find(|l| l.number == number));
    let is_hardware = partition.is_none() && parents.is_empty();
    let functions = if is_hardware { Disk::at(root, number, &dir).ends() } else { Vec::new() };
    let kind = DiskKind::of(name);
    // A hypervisor's disk may be a PCI function, but its link is not real.
    let has_no_link = is_hardware && (functions.is_empty() || kind == DiskKind::Paravirtual);
    let no_link = has_no_link.then(|| why_none(kind, &dir).to_owned());
    let drive = is_hardware.then(|| Drive::read(root, &dir, number));
    let name = name.to_owned();
    Some(BlockDevice { name, number, kind, partition, size_bytes, parents, functions, no_link, drive, dir })
}

fn parents(root: &Root, dir: &Path, is_partition: bool, own_loop: Option<&LoopDevice>) -> Vec<String> {
    if is_partition {
        let disk = dir.parent().and_then(Path::file_name);
        return disk.map(|name| name.to_string_lossy().into_owned()).into_iter().collect();
    }
    let slaves = root.list(dir.join("slaves")).unwrap_or_default();
    match own_loop.and_then(|l| l.backing_device.or_else(|| mount_of_file(root, &l.backing_file))) {
        Some(below) if slaves.is_empty() => name_of(root, below).into_iter().collect(),
        _ => slaves,
    }
}

/// The device of the file system that contains the file of a loop device.
fn mount_of_file(root: &Root, file: &Path) -> Option<DevNumber> {
    fathom_device::mounts::mount_above(root, file)?.block_number(root)
}

fn name_of(root: &Root, number: DevNumber) -> Option<String> {
    root.link_name(format!("/sys/dev/block/{number}")).ok()
}

/// Why a disk is not on the PCI bus.
fn why_none(kind: DiskKind, dir: &Path) -> &'static str {
    let path = dir.to_string_lossy();
    let is_below = |part: &str| path.contains(part);
    match kind {
        DiskKind::Paravirtual => "a hypervisor's disk: its link is not visible inside the guest",
        DiskKind::Loop => "a loop device over a file whose file system has no block device",
        DiskKind::Ram | DiskKind::Null => "memory, without a link",
        DiskKind::Remote => "a process or a network is behind it",
        DiskKind::Pmem => "on the memory bus",
        _ if is_below("/session") || is_below("nvme-fabrics") => "a network is behind it",
        _ if is_below("/platform/") => "on the board itself, not on PCI",
        _ => "its path in sysfs contains no PCI function",
    }
}
