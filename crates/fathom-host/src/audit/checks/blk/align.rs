//! `blk.align`: do partitions begin where the drive's blocks begin?

use std::collections::BTreeSet;

use crate::audit::checks::wording::size;
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene, each};
use fathom_device::Goal::{Bandwidth, Iops, Latency};
use fathom_device::device::Node;

pub(super) const CHECK: Check = Check {
    id: "blk.align",
    title: "Alignment of partitions",
    reads: "/sys/class/block/PART/start; /sys/block/D/queue/physical_block_size, optimal_io_size; \
            /sys/block/D/alignment_offset",
    why: "A partition that begins in the middle of a physical block puts every block of the file system across two of \
          the drive's. Each aligned write becomes two, each with a read before it. A partition that begins in the \
          middle of a stripe of an array does the same to full-stripe writes: the array must read to compute parity \
          although a whole stripe is written.",
    judged: "A start that is not a multiple of the physical block is bad for IOPS and latency. One that is not a \
             multiple of the optimal I/O size (the stripe of an array) warns for bandwidth. A whole disk that reports \
             a shift of its own blocks warns too.",
    remedy: "Make the partitions again with parted -a optimal, or with any current tool (they begin at 1 MiB); all \
             data on the disk is lost. To check: parted D align-check optimal N. A raw disk without partitions needs \
             nothing. The old advice that flash cards need no alignment is wrong for today's drives.",
    needs: Needs::Purge,
    kernels: "2.6.31 and later",
    sources: &["V-57", "I-21", "Documentation/ABI/stable/sysfs-block"],
    observe: Observe::Once(observe),
};

/// Unit of `start` (Documentation/ABI/stable/sysfs-block).
const SECTOR_BYTES: u64 = 512;

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let mut seen = BTreeSet::new();
    let graphs = scene.targets.iter().filter_map(|target| target.graph.as_ref().ok());
    let nodes = graphs.flat_map(|graph| graph.nodes()).filter(|node| node.partition.is_some());
    let partitions: Vec<&Node> = nodes.filter(|node| seen.insert(node.name.clone())).collect();
    let of_partitions =
        partitions.into_iter().map(|node| Observation::or_unknown(&node.name, partition(scene, node)));
    let none = || Observation::on("host").not_applicable("there is no disk below the target");
    let disks = each(scene.queues(), none, |disk| disk.name.clone(), |disk| whole(scene, disk));
    of_partitions.chain(disks).collect()
}

fn whole(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (offset, raw) = scene.value::<i64>(disk.sys_dir.join("alignment_offset"))?;
    let seen = Observation::on(&disk.name).show(&raw);
    Ok(match offset {
        0 => seen.ok("its logical blocks are aligned to its physical blocks"),
        // The kernel reports a negative number where the members do not agree.
        ..0 => seen.warn_for(&[Iops, Latency], "its members begin at different offsets"),
        _ => seen.warn_for(&[Iops, Latency], format!("its physical blocks are shifted by {offset} bytes")),
    })
}

fn partition(scene: &Scene<'_>, node: &Node) -> Observed {
    let disk = node.sys_dir.parent().unwrap_or(&node.sys_dir);
    let (start, raw) = scene.value::<u64>(node.sys_dir.join("start"))?;
    let (physical, block) = scene.value::<u64>(disk.join("queue/physical_block_size"))?;
    let (optimal, stripe) = scene.value::<u64>(disk.join("queue/optimal_io_size"))?;
    let shift = scene.value::<u64>(disk.join("alignment_offset")).map_or(0, |(bytes, _)| bytes);
    let seen = Observation::on(&node.name).show(&raw).show(&block).show(&stripe);
    if physical == 0 {
        return Err(block.garbled());
    }
    let from = start.saturating_mul(SECTOR_BYTES).saturating_sub(shift);
    if !from.is_multiple_of(physical) {
        let over = from % physical;
        let says = format!("begins {over} bytes into a physical block of {}", size(physical));
        return Ok(seen.bad_for(&[Iops, Latency], says));
    }
    // Some USB bridges give an optimal size of 65,535 sectors, which means nothing.
    let is_stripe = optimal > 0 && optimal.is_multiple_of(physical);
    if is_stripe && !from.is_multiple_of(optimal) {
        let says = format!("begins {} into a stripe of {}", size(from % optimal), size(optimal));
        return Ok(seen.warn_for(&[Bandwidth], says));
    }
    Ok(seen.ok("begins at the start of a block"))
}
