//! Block devices: disks, partitions, arrays, volumes, loop devices, and what
//! each is made of.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::address::Address;
use super::fact::Reading;
use fathom_device::cpus::CpuSet;
use fathom_device::device::{self, DevNumber, DiskKind};
use fathom_device::inventory::Disk;
use fathom_device::inventory::{FIRMWARE, MODEL};
use fathom_device::loops::{LoopDevice, loop_devices};
use fathom_device::mounts::{all_mounts, pool_members};
use fathom_device::root::{Root, Unknown};
use fathom_device::zones::DeviceZones;
use serde::Serialize;

/// The directory of all block devices, including partitions.
const BLOCKS: &str = "/sys/class/block";

/// A block device.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

// Devices that are made of others, and mounts.

/// A device that is made of others and is not a partition.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stack {
    /// Kernel name.
    pub name: String,
    /// The name that a user gave it (device-mapper), or its level (`raid5`).
    pub title: String,
    /// Consecutive bytes on one member.
    pub chunk_bytes: Option<Reading<u64>>,
    /// Its current work (`idle`, `resync`).
    pub state: Option<Reading<String>>,
    /// Members.
    pub members: Vec<Member>,
}

/// A member of a stack.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Member {
    /// Kernel name.
    pub name: String,
    /// Its slot number in an array.
    pub slot: Option<u32>,
    /// The disks below it.
    pub disks: Vec<String>,
}

/// A mounted file system, on a device of the map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MountOn {
    /// Kernel name of the device.
    pub block: String,
    /// The mount point.
    pub point: PathBuf,
    /// File system type.
    pub fs_type: String,
    /// Mount options.
    pub options: String,
}

/// All stacks, in the order of their names.
pub fn stacks(root: &Root, blocks: &BlockDevices) -> Vec<Stack> {
    let made = blocks.values().filter(|block| block.partition.is_none() && !block.parents.is_empty());
    made.map(|block| stack(root, block, blocks)).collect()
}

fn stack(root: &Root, block: &BlockDevice, blocks: &BlockDevices) -> Stack {
    let file = |name: &str| block.dir.join(name);
    let is_md = root.exists(file("md"));
    let chunk = Reading::parsed(root, file("md/chunk_size"));
    let state = Reading::text(root, file("md/sync_action"));
    let texts = ["md/level", "dm/name", "loop/backing_file"];
    let title = texts.iter().find_map(|text| root.read_text(file(text)).ok()).unwrap_or_default();
    let member = |name: &String| Member {
        name: name.clone(),
        slot: root.read_value(file(&format!("md/dev-{name}/slot"))).ok(),
        disks: disks_under(blocks, name),
    };
    let mut members: Vec<Member> = block.parents.iter().map(member).collect();
    members.sort_by_key(|member| (member.slot.unwrap_or(u32::MAX), member.name.clone()));
    Stack {
        name: block.name.clone(),
        title,
        // A mirror has no chunk, which the kernel writes as 0.
        chunk_bytes: (is_md && chunk.value != Some(0)).then_some(chunk),
        state: is_md.then_some(state),
        members,
    }
}

/// The disks at the bottom of a device, each once. A capture may contain
/// devices that are made of each other, so we visit each device only once.
pub fn disks_under(blocks: &BlockDevices, name: &str) -> Vec<String> {
    let mut visited = BTreeSet::from([name]);
    let mut waiting = vec![name];
    let mut disks = Vec::new();
    while let Some(block) = waiting.pop().and_then(|name| blocks.get(name)) {
        if block.parents.is_empty() {
            disks.push(block.name.clone());
        }
        waiting.extend(
            block
                .parents
                .iter()
                .map(String::as_str)
                .filter(|name| blocks.contains_key(*name) && visited.insert(name)),
        );
    }
    disks.sort();
    disks
}

/// Every mount of a device of the map, each mount point once. If a file system
/// is on several devices, each of them has the mount.
pub fn mounts(root: &Root, blocks: &BlockDevices) -> Vec<MountOn> {
    let name_of = |number| blocks.values().find(|block| block.number == number).map(|block| &block.name);
    let pools = pool_members(root);
    let mut mounts = Vec::new();
    for mount in all_mounts(root).unwrap_or_default() {
        for name in mount.block_numbers(root, &pools).into_iter().filter_map(name_of) {
            let (point, fs_type, options) =
                (mount.point.clone(), mount.fs_type.clone(), mount.options.clone());
            mounts.push(MountOn { block: name.clone(), point, fs_type, options });
        }
    }
    mounts.sort_by(|a, b| (&a.block, &a.point).cmp(&(&b.block, &b.point)));
    mounts.dedup_by(|a, b| (&a.block, &a.point) == (&b.block, &b.point));
    mounts
}

// The map's facts about one drive: its identity, its temperature, and the CPUs
// of its queues.

/// The facts about a block device that is hardware.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Drive {
    /// Model.
    pub model: Reading<String>,
    /// Serial number.
    pub serial: Reading<String>,
    /// World-wide name.
    pub wwid: Reading<String>,
    /// Firmware.
    pub firmware: Reading<String>,
    /// Temperature now, in °C.
    pub temperature_c: Reading<f64>,
    /// Temperature from which it warns (and many drives slow down), in °C.
    pub temperature_warning_c: Reading<f64>,
    /// Logical block, in bytes.
    pub logical_block_bytes: Reading<u32>,
    /// Physical block, in bytes.
    pub physical_block_bytes: Reading<u32>,
    /// Its zones, if it is a zoned device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<DeviceZones>,
    /// Hardware queues.
    pub queues: Vec<HardwareQueue>,
}

/// A hardware queue and the CPUs that submit to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HardwareQueue {
    /// Number of the queue, from 0.
    pub number: u32,
    /// CPUs that submit to it.
    pub cpus: Reading<CpuSet>,
}

impl Drive {
    /// Reads the disk in `dir`.
    pub fn read(root: &Root, dir: &Path, number: DevNumber) -> Self {
        let text = |files: &[&str]| first(files.iter().map(|file| Reading::text(root, dir.join(file))));
        let hwmon = hwmon(root, dir);
        let celsius = |file: &str| match &hwmon {
            Some(hwmon) => Reading::read(root, hwmon.join(file), millidegrees),
            None => {
                Reading::unknown(Unknown::absent(dir.join("device"), "no temperature sensor is bound to it"))
            }
        };
        Self {
            model: text(MODEL),
            serial: serial_of(root, dir, number),
            wwid: text(&["wwid", "device/wwid"]),
            firmware: text(FIRMWARE),
            temperature_c: celsius("temp1_input"),
            temperature_warning_c: celsius("temp1_max"),
            logical_block_bytes: Reading::parsed(root, dir.join("queue/logical_block_size")),
            physical_block_bytes: Reading::parsed(root, dir.join("queue/physical_block_size")),
            zones: DeviceZones::read(root, &dir.join("queue")),
            queues: queues(root, dir),
        }
    }
}

fn first<T>(facts: impl IntoIterator<Item = Reading<T>>) -> Reading<T> {
    Reading::first(facts).expect("each fact has a place")
}

/// The serial number from its file, or from another source that this kind of drive has.
fn serial_of(root: &Root, dir: &Path, number: DevNumber) -> Reading<String> {
    let fact = first(["device/serial", "serial"].map(|file| Reading::text(root, dir.join(file))));
    match device::serial(root, dir, number) {
        Some(serial) if fact.value.is_none() => Reading::known(serial.clone(), dir, serial),
        _ => fact,
    }
}

/// hwmon counts in thousandths of a degree.
fn millidegrees(text: &str) -> Option<f64> {
    text.parse::<i32>().ok().map(|thousandths| f64::from(thousandths) / 1000.0)
}

/// The directory of a drive's sensor. It depends on the kernel version and on
/// the kind of drive: below the controller (NVMe), or below its device (NVMe
/// before 5.17, SATA).
fn hwmon(root: &Root, dir: &Path) -> Option<PathBuf> {
    let places = ["device", "device/hwmon", "device/device/hwmon"].map(|place| dir.join(place));
    places.into_iter().find_map(|place| {
        let names = root.list(&place).unwrap_or_default();
        let name = names.into_iter().find(|name| name.starts_with("hwmon") && name.len() > "hwmon".len())?;
        Some(place.join(name))
    })
}

fn queues(root: &Root, dir: &Path) -> Vec<HardwareQueue> {
    let queue = |number: u32| {
        let path = dir.join(format!("mq/{number}/cpu_list"));
        HardwareQueue { number, cpus: Reading::read(root, path, |text| CpuSet::from_list(text).ok()) }
    };
    root.numbers(dir.join("mq"), "").into_iter().map(queue).collect()
}
