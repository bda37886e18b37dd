//! `fs.geometry`: does the file system know the stripes below it?

use super::mounted::{each_mounted, seen, value};
use crate::audit::checks::wording::size;
use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene, Target};
use fathom_device::Goal::Bandwidth;
use fathom_device::ask::Question;
use fathom_device::device::Node;
use fathom_device::mounts::Mount;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "fs.geometry",
    title: "Stripe geometry of the file system",
    reads: "/proc/self/mountinfo (XFS: sunit, swidth); ext4's superblock (root); /sys/block/D/queue/minimum_io_size, \
            optimal_io_size",
    why: "XFS and ext4 lay large files out along the stripes of an array, if they know them: stride (sunit) is one \
          chunk, stripe width (swidth) is chunk × data disks. Then writes of whole stripes need no read on RAID 5 and \
          6, and the metadata is not all on one member. mkfs reads both from the device by itself on md and LVM; \
          hardware RAID often does not report them, and an array that grew later has other numbers.",
    judged: "Numbers that differ from the device's, or none on a striped device, warn for bandwidth. Equal ones, and \
             devices without stripes: ok. File systems without such numbers: n-a.",
    remedy: "Only mkfs sets it for good: mkfs.xfs -d su=128k,sw=2, mkfs.ext4 -E stride=32,stripe_width=64 (in blocks: \
             chunk / 4 KiB, and × data disks); that deletes all data. For one mount: mount -o sunit=256,swidth=512 \
             (XFS, in units of 512 bytes) or stripe=64 (ext4, in blocks). Normally mkfs finds the numbers itself.",
    needs: Needs::Purge,
    kernels: "all",
    sources: &[
        "V-62",
        "V-63",
        "V-64",
        "V-65",
        "V-66",
        "Documentation/admin-guide/xfs.rst",
        "Documentation/filesystems/ext4/super.rst",
    ],
    observe: Observe::Once(|scene| each_mounted(scene, |target, mount| one(scene, target, mount))),
};

/// Unit of `sunit` and `swidth` in the options of XFS.
const SECTOR_BYTES: u64 = 512;

/// Chunk and stripe, in bytes; 0 where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    chunk_bytes: u64,
    stripe_bytes: u64,
}

fn one(scene: &Scene<'_>, target: &Target, mount: &Mount) -> Observed {
    let seen = seen(target, mount);
    if !matches!(mount.fs_type.as_str(), "xfs" | "ext4") {
        return Ok(seen.not_applicable(format!("{} has no such numbers", mount.fs_type)));
    }
    let graph = target.graph.as_ref().map_err(Clone::clone)?;
    let disk = graph.whole_disk();
    let (device, seen) = device_shape(scene, disk, seen)?;
    if device.stripe_bytes == 0 {
        return Ok(seen.ok("the device has no stripes"));
    }
    let (own, seen) = match mount.fs_type.as_str() {
        "xfs" => (xfs_shape(mount)?, seen),
        _ => ext4_shape(scene, graph.target(), seen)?,
    };
    let (chunk, stripe) = (size(device.chunk_bytes), size(device.stripe_bytes));
    Ok(if own == device {
        seen.ok(format!("knows the device's chunks of {chunk} and stripes of {stripe}"))
    } else if own.stripe_bytes == 0 {
        seen.warn_for(
            &[Bandwidth],
            format!("does not know the device's chunks of {chunk} and stripes of {stripe}"),
        )
    } else {
        let (own_chunk, own_stripe) = (size(own.chunk_bytes), size(own.stripe_bytes));
        seen.warn_for(
            &[Bandwidth],
            format!("lays out by {own_chunk} and {own_stripe}, the device by {chunk} and {stripe}"),
        )
    })
}

/// The two limits that arrays and their volumes report: the smallest I/O
/// without penalty (the chunk) and the best I/O (the stripe). mkfs uses the
/// same two. A plain drive may report a best size too; it is a stripe only if
/// it is several chunks and a chunk is larger than a block.
fn device_shape(scene: &Scene<'_>, disk: &Node, seen: Observation) -> Result<(Shape, Observation), Unknown> {
    let queue = disk.sys_dir.join("queue");
    let (chunk_bytes, least) = scene.value::<u64>(queue.join("minimum_io_size"))?;
    let (best, most) = scene.value::<u64>(queue.join("optimal_io_size"))?;
    let (block, _) = scene.value::<u64>(queue.join("physical_block_size"))?;
    let is_striped = chunk_bytes > block && best > chunk_bytes && best.is_multiple_of(chunk_bytes);
    let shape = Shape { chunk_bytes, stripe_bytes: if is_striped { best } else { 0 } };
    Ok((shape, seen.show(&least).show(&most)))
}

/// XFS shows both among its options whenever it has them, so no ioctl is
/// needed (`xfs_fs_show_options`).
fn xfs_shape(mount: &Mount) -> Result<Shape, Unknown> {
    let bytes = |option: &str| match value(mount, option) {
        None => Ok(0),
        Some(text) => {
            let units = text.parse::<u64>().ok().and_then(|units| units.checked_mul(SECTOR_BYTES));
            units.ok_or_else(|| Unknown::garbled("/proc/self/mountinfo".as_ref(), text))
        }
    };
    Ok(Shape { chunk_bytes: bytes("sunit")?, stripe_bytes: bytes("swidth")? })
}

fn ext4_shape(scene: &Scene<'_>, node: &Node, seen: Observation) -> Result<(Shape, Observation), Unknown> {
    let raw = scene.ask(&Question::Ext4Shape { device: node.name.clone() })?;
    let words: Vec<u64> = raw.text.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [block, stride, stripe] = words[..] else {
        return Err(raw.garbled());
    };
    let shape =
        Shape { chunk_bytes: block.saturating_mul(stride), stripe_bytes: block.saturating_mul(stripe) };
    Ok((shape, seen.show(&raw)))
}
