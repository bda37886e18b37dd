//! The disk below a target: the facts that all files on it share.

use crate::device::{DevNumber, Graph};
use crate::inventory;
use crate::root::Root;

/// What `/sys` says of a device and of the whole disk that it is on.
#[derive(Debug, Default)]
pub(super) struct Disk {
    pub(super) name: Option<String>,
    /// The size of the device itself, which may be a partition.
    pub(super) size_bytes: Option<u64>,
    pub(super) logical_block_bytes: Option<u32>,
    pub(super) physical_block_bytes: Option<u32>,
    dma_alignment: Option<u32>,
    pub(super) rotational: Option<bool>,
    pub(super) numa_node: Option<u32>,
}

impl Disk {
    pub(super) fn read(root: &Root, number: DevNumber) -> Self {
        let Ok(graph) = Graph::read(root, number) else { return Self::default() };
        let disk = graph.whole_disk();
        let queue = disk.sys_dir.join("queue");
        let value = |file: &str| root.read_value(queue.join(file)).ok();
        Self {
            name: Some(disk.name.clone()),
            size_bytes: Some(graph.target().size_bytes),
            logical_block_bytes: value("logical_block_size"),
            physical_block_bytes: value("physical_block_size"),
            dma_alignment: value("dma_alignment"),
            rotational: value("rotational").map(|flag| flag == 1),
            numa_node: inventory::Disk::of(root, disk).near(root).ok().and_then(|near| near.node),
        }
    }

    /// The alignment that O_DIRECT needs, for kernels whose `statx` does not report it (before
    /// 6.1). A device takes its logical block, and memory aligned to what its driver's DMA needs (a
    /// mask in sysfs since 6.0, else the logical block again). For a file its file system decides,
    /// so it is not known.
    pub(super) fn dio_align(&self) -> Option<(u32, u32)> {
        let block = self.logical_block_bytes?;
        let memory = self.dma_alignment.map(|mask| mask.saturating_add(1));
        Some((memory.unwrap_or(block), block))
    }
}
