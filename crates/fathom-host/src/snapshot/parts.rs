//! The parts of the host of which there are several: memory modules, network
//! cards, storage controllers, drivers, disks. One fact each, named by the part.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{Row, SnapshotFact, SnapshotValue, TABLES};
use crate::smbios::{MemorySlot, TABLE, memory_slots};
use crate::topology::link::LinkEnd;
use fathom_device::device::{DiskKind, Graph, Identity};
use fathom_device::glob::glob;
use fathom_device::inventory::Disk;
use fathom_device::inventory::{FIRMWARE, MODEL, chosen};
use fathom_device::root::Root;

/// Modules whose versions have changed results of storage tests. Drivers in the
/// kernel's own tree mostly have no version; theirs is the kernel's.
const DRIVERS: [&str; 9] =
    ["nvme", "nvme_core", "vmd", "iavmd", "md_mod", "megaraid_sas", "mpt3sas", "smartpqi", "iomemory_vsl4"];

/// Base class of PCI storage controllers (PCI Code and ID Assignment).
const CLASS_STORAGE: &str = "0x01";

/// The facts about all parts.
pub fn facts(root: &Root) -> Vec<SnapshotFact> {
    let mut facts = memory_modules(root);
    facts.extend(network_cards(root));
    facts.extend(storage_controllers(root));
    facts.extend(DRIVERS.iter().filter_map(|name| driver(root, name)));
    facts
}

fn known(name: String, value: String, path: impl Into<PathBuf>) -> SnapshotFact {
    SnapshotFact { name, value: Some(SnapshotValue::Text(value)), path: path.into(), unknown: None }
}

fn memory_modules(root: &Root) -> Vec<SnapshotFact> {
    let unknown = |reason: String| SnapshotFact {
        name: "memory_modules".to_owned(),
        value: None,
        path: PathBuf::from(TABLE),
        unknown: Some(reason),
    };
    match root.read_bytes(TABLE).map(|table| memory_slots(&table)) {
        Err(error) => vec![unknown(error.reason)],
        Ok(None) => vec![unknown("not understood".to_owned())],
        Ok(Some(slots)) => slots.iter().map(memory_module).collect(),
    }
}

fn memory_module(slot: &MemorySlot) -> SnapshotFact {
    let rate = |mts: Option<u16>| mts.map_or_else(|| "unknown rate".to_owned(), |mts| format!("{mts} MT/s"));
    let value = match slot.size_mb {
        None => "empty".to_owned(),
        Some(size) => format!("{size} MiB, {}, run at {}", rate(slot.speed_mts), rate(slot.configured_mts)),
    };
    known(format!("memory_module.{}", slot.locator), value, TABLE)
}

fn network_cards(root: &Root) -> Vec<SnapshotFact> {
    // Only cards have `device`; bridges and tunnels do not.
    let cards = glob(root, "/sys/class/net/*/device");
    let card = |device: PathBuf| {
        let dir = device.parent()?.to_path_buf();
        let name = dir.file_name()?.to_string_lossy().into_owned();
        let driver = root.link_name(device.join("driver")).unwrap_or_else(|_| "no driver".to_owned());
        // Megabits a second; -1 or an error while the link is down.
        let speed = root.read_value::<u32>(dir.join("speed"));
        let speed = speed.map_or_else(|_| "link down".to_owned(), |mbit| format!("{mbit} Mbit/s"));
        Some(known(format!("network_card.{name}"), format!("{driver}, {speed}"), dir))
    };
    cards.into_iter().filter_map(card).collect()
}

fn storage_controllers(root: &Root) -> Vec<SnapshotFact> {
    let functions = glob(root, "/sys/bus/pci/devices/*");
    let controller = |dir: PathBuf| {
        let class = root.read_text(dir.join("class")).ok()?;
        let read = |file: &str| root.read_text(dir.join(file)).unwrap_or_else(|_| "?".to_owned());
        let driver = root.link_name(dir.join("driver")).unwrap_or_else(|_| "no driver".to_owned());
        let name = format!("storage_controller.{}", dir.file_name()?.to_string_lossy());
        let value = format!("{}:{} class {class}, {driver}", read("vendor"), read("device"));
        class.starts_with(CLASS_STORAGE).then(|| known(name, value, dir))
    };
    functions.into_iter().filter_map(controller).collect()
}

fn driver(root: &Root, name: &str) -> Option<SnapshotFact> {
    let path = Path::new("/sys/module").join(name).join("version");
    Some(known(format!("driver_version.{name}"), root.read_text(&path).ok()?, path))
}

// Parsers that turn the text of a fact into its value.

/// A parser of a fact's text.
pub type Parse = fn(&str) -> Option<SnapshotValue>;

/// The parser of this name.
pub fn parser(name: &str) -> Option<Parse> {
    let all: [(&str, Parse); 13] = [
        ("cores", cores),
        ("cpu_model", cpu_model),
        ("flag", flag),
        ("hypervisor_flag", hypervisor_flag),
        ("memory_total", memory_total),
        ("microcode", microcode),
        ("number", number),
        ("pretty_name", pretty_name),
        ("sectors", sectors),
        ("selected", selected),
        ("sockets", sockets),
        ("text", text),
        ("threads", threads),
    ];
    all.into_iter().find(|(known, _)| *known == name).map(|(_, parse)| parse)
}

/// The text itself, if there is any.
pub fn text(text: &str) -> Option<SnapshotValue> {
    (!text.is_empty()).then(|| SnapshotValue::Text(text.to_owned()))
}

/// A whole number.
pub fn number(text: &str) -> Option<SnapshotValue> {
    text.parse().ok().map(SnapshotValue::Number)
}

/// `0` or `1`.
pub fn flag(text: &str) -> Option<SnapshotValue> {
    match text {
        "0" => Some(SnapshotValue::Flag(false)),
        "1" => Some(SnapshotValue::Flag(true)),
        _ => None,
    }
}

/// 512-byte sectors, in bytes.
pub fn sectors(text: &str) -> Option<SnapshotValue> {
    let sectors: u64 = text.parse().ok()?;
    sectors.checked_mul(512).map(SnapshotValue::Number)
}

/// The choice in brackets of `none [mq-deadline] kyber`; a file with a single
/// word has no brackets.
pub fn selected(line: &str) -> Option<SnapshotValue> {
    text(chosen(line).unwrap_or(line))
}

/// `PRETTY_NAME` of os-release.
pub fn pretty_name(file: &str) -> Option<SnapshotValue> {
    let mut lines = file.lines();
    let name = lines.find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    text(name.trim_matches('"'))
}

/// The processor's name, by the keys of x86, arm64 or POWER.
pub fn cpu_model(file: &str) -> Option<SnapshotValue> {
    let keys = ["model name", "Model", "cpu"];
    text(keys.iter().find_map(|key| fields(file, key).next())?)
}

/// Revision of the first processor's microcode.
pub fn microcode(file: &str) -> Option<SnapshotValue> {
    text(fields(file, "microcode").next()?)
}

/// Number of sockets.
pub fn sockets(file: &str) -> Option<SnapshotValue> {
    distinct(fields(file, "physical id"))
}

/// Number of cores. Core numbers are counted in each socket.
pub fn cores(file: &str) -> Option<SnapshotValue> {
    let sockets = fields(file, "physical id");
    distinct(sockets.zip(fields(file, "core id")))
}

/// Number of hardware threads.
pub fn threads(file: &str) -> Option<SnapshotValue> {
    distinct(fields(file, "processor"))
}

/// The flag that x86 hypervisors set. Where there is no line with flags
/// (arm64), the missing flag means nothing.
pub fn hypervisor_flag(file: &str) -> Option<SnapshotValue> {
    let flags = fields(file, "flags").next()?;
    Some(SnapshotValue::Flag(flags.split(' ').any(|flag| flag == "hypervisor")))
}

/// Total memory in bytes, from meminfo's `kB` (which are KiB).
pub fn memory_total(file: &str) -> Option<SnapshotValue> {
    let kib: u64 = fields(file, "MemTotal").next()?.split(' ').next()?.parse().ok()?;
    kib.checked_mul(1024).map(SnapshotValue::Number)
}

/// The values of `key : value` lines.
fn fields<'a>(file: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    file.lines().filter_map(move |line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

fn distinct<T: Eq + std::hash::Hash>(values: impl Iterator<Item = T>) -> Option<SnapshotValue> {
    let count = values.collect::<HashSet<T>>().len();
    (count > 0).then_some(SnapshotValue::Number(count as u64))
}

// The facts about a disk and about the PCI function that it is behind.

/// All facts about the disk.
pub fn disk_facts(root: &Root, disk: &Disk) -> Vec<SnapshotFact> {
    let named = [("model", MODEL), ("firmware", FIRMWARE)].map(|(name, paths)| Row::text(name, paths));
    let rows = named.iter().chain(&TABLES.disk);
    let mut facts: Vec<SnapshotFact> = rows.map(|row| row.read(root, &disk.sys_dir)).collect();
    facts.push(numa_node(root, disk));
    // The link of a hypervisor's disk is not visible inside the guest.
    let function = disk.function().filter(|_| disk.kind != DiskKind::Paravirtual);
    let link = |row: &Row| match function {
        Some(function) => row.read(root, function),
        None => row.fact(disk.sys_dir.clone(), None, Some("no PCIe link of it is visible".to_owned())),
    };
    facts.extend(TABLES.link.iter().map(link));
    facts.extend(function.and_then(|function| link_rate(root, function, disk)));
    if disk.kind == DiskKind::Md {
        facts.extend(members(root, disk));
    }
    facts
}

/// What the link carries in one direction, in 10⁶ bytes per second, packet headers included.
fn link_rate(root: &Root, function: &Path, disk: &Disk) -> Option<SnapshotFact> {
    let rate = LinkEnd::read(root, *disk.ends().first()?, "current").rate()?;
    let value = Some(SnapshotValue::Number(rate.raw_mbps().round() as u64));
    Some(SnapshotFact { name: "link_mbps".to_owned(), value, path: function.to_owned(), unknown: None })
}

/// Model and serial number of each member of an array: a report names the drives that were measured.
fn members(root: &Root, disk: &Disk) -> Vec<SnapshotFact> {
    let path = disk.sys_dir.join("slaves");
    let of_member = |name: String| {
        let graph = Graph::read(root, root.block_number_named(&name)?).ok()?;
        let member = Identity::with_names(root, &graph, Vec::new()).ok()?;
        let fact = |what: &str, value: Option<String>| SnapshotFact {
            name: format!("{name}.member_{what}"),
            unknown: value.is_none().then(|| format!("{name} does not tell it")),
            value: value.map(SnapshotValue::Text),
            path: path.clone(),
        };
        Some([fact("model", member.model), fact("serial", member.serial)])
    };
    root.list(&path).unwrap_or_default().into_iter().filter_map(of_member).flatten().collect()
}

fn numa_node(root: &Root, disk: &Disk) -> SnapshotFact {
    let name = "numa_node".to_owned();
    match disk.near(root) {
        Ok(near) => SnapshotFact { name, value: text(&near.text), path: near.path, unknown: None },
        Err(unknown) => SnapshotFact { name, value: None, path: unknown.path, unknown: Some(unknown.reason) },
    }
}
