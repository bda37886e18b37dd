//! The facts about a disk and about the PCI function that it is behind.

use super::parts::{flag, number, sectors, selected, text};
use super::{Row, SnapshotFact, SnapshotValue};
use crate::topology::link::LinkEnd;
use fathom_device::device::{DiskKind, Graph, Identity};
use fathom_device::inventory::Disk;
use fathom_device::inventory::property::{FIRMWARE, MODEL};
use fathom_device::root::Root;
use std::path::Path;

/// Relative to the disk's directory in sysfs.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row { name: "model", paths: MODEL, parse: text },
    Row { name: "firmware", paths: FIRMWARE, parse: text },
    Row { name: "size_bytes", paths: &["size"], parse: sectors },
    Row { name: "logical_block_bytes", paths: &["queue/logical_block_size"], parse: number },
    Row { name: "physical_block_bytes", paths: &["queue/physical_block_size"], parse: number },
    Row { name: "scheduler", paths: &["queue/scheduler"], parse: selected },
    Row { name: "nr_requests", paths: &["queue/nr_requests"], parse: number },
    Row { name: "max_sectors_kib", paths: &["queue/max_sectors_kb"], parse: number },
    Row { name: "max_hw_sectors_kib", paths: &["queue/max_hw_sectors_kb"], parse: number },
    Row { name: "read_ahead_kib", paths: &["queue/read_ahead_kb"], parse: number },
    Row { name: "nomerges", paths: &["queue/nomerges"], parse: number },
    Row { name: "rq_affinity", paths: &["queue/rq_affinity"], parse: number },
    Row { name: "rotational", paths: &["queue/rotational"], parse: flag },
    Row { name: "write_cache", paths: &["queue/write_cache"], parse: text },
    Row { name: "io_poll", paths: &["queue/io_poll"], parse: flag },
    Row { name: "iostats", paths: &["queue/iostats"], parse: flag },
    Row { name: "zoned", paths: &["queue/zoned"], parse: text },
    Row { name: "discard_max_bytes", paths: &["queue/discard_max_bytes"], parse: number },
    Row { name: "fua", paths: &["queue/fua"], parse: flag },
    Row { name: "wbt_lat_usec", paths: &["queue/wbt_lat_usec"], parse: text },
    Row { name: "optimal_io_bytes", paths: &["queue/optimal_io_size"], parse: number },
    Row { name: "nvme_queues", paths: &["device/queue_count"], parse: number },
    Row { name: "nvme_queue_entries", paths: &["device/sqsize"], parse: number },
    Row { name: "queue_tags", paths: &["mq/0/nr_tags"], parse: number },
    Row { name: "scsi_queue_depth", paths: &["device/queue_depth"], parse: number },
    Row { name: "md_level", paths: &["md/level"], parse: text },
    Row { name: "md_chunk_bytes", paths: &["md/chunk_size"], parse: number },
    Row { name: "md_disks", paths: &["md/raid_disks"], parse: number },
    Row { name: "md_metadata", paths: &["md/metadata_version"], parse: text },
    Row { name: "md_state", paths: &["md/array_state"], parse: text },
    Row { name: "md_sync_action", paths: &["md/sync_action"], parse: text },
    Row { name: "loop_backing_file", paths: &["loop/backing_file"], parse: text },
    Row { name: "loop_direct_io", paths: &["loop/dio"], parse: flag },
];

/// Relative to the directory of its PCI function: the link of the drive or of its host adapter.
#[rustfmt::skip]
const LINK_ROWS: &[Row] = &[
    Row { name: "link_speed", paths: &["current_link_speed"], parse: text },
    Row { name: "link_speed_max", paths: &["max_link_speed"], parse: text },
    Row { name: "link_width", paths: &["current_link_width"], parse: number },
    Row { name: "link_width_max", paths: &["max_link_width"], parse: number },
];

/// All facts about the disk.
pub fn facts(root: &Root, disk: &Disk) -> Vec<SnapshotFact> {
    let mut facts: Vec<SnapshotFact> = ROWS.iter().map(|row| row.read(root, &disk.sys_dir)).collect();
    facts.push(numa_node(root, disk));
    // The link of a hypervisor's disk is not visible inside the guest.
    let function = disk.function().filter(|_| disk.kind != DiskKind::Paravirtual);
    let link = |row: &Row| match function {
        Some(function) => row.read(root, function),
        None => row.fact(disk.sys_dir.clone(), None, Some("no PCIe link of it is visible".to_owned())),
    };
    facts.extend(LINK_ROWS.iter().map(link));
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
