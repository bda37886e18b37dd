//! The facts about a disk and about the PCI function that it is behind.

use super::parts::text;
use super::{Row, SnapshotFact, SnapshotValue, TABLES};
use crate::topology::link::LinkEnd;
use fathom_device::device::{DiskKind, Graph, Identity};
use fathom_device::inventory::Disk;
use fathom_device::inventory::property::{FIRMWARE, MODEL};
use fathom_device::root::Root;
use std::path::Path;

/// All facts about the disk.
pub fn facts(root: &Root, disk: &Disk) -> Vec<SnapshotFact> {
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
