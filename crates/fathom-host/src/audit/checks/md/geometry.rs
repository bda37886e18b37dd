//! `md.geometry`: are the job's writes whole stripes?

use super::array::{Array, each_array, first_number};
use crate::audit::checks::wording::size;
use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::{Bandwidth, Iops, Latency};

pub(super) const CHECK: Check = Check {
    id: "md.geometry",
    title: "Stripes of the array and blocks of the job",
    reads: "/sys/block/mdX/md/level, chunk_size, raid_disks, layout",
    why: "An array distributes its bytes in chunks; one chunk for each data disk is a stripe. RAID 5 and 6 keep parity \
          for each stripe: a write of less than a whole stripe must first read old data and parity, so one random 4 \
          KiB write causes four I/Os of the members on RAID 5 and six on RAID 6. Intel measured 36 % of RAID 0's \
          random writes on RAID 5. A write of a whole stripe needs no read.",
    judged: "On RAID 4, 5 and 6 random writes that are not a multiple of the stripe warn for latency, IOPS and \
             bandwidth: this is not a fault, but lowers the figures. Sequential writes are a remark, because the stripe \
             cache joins them. Jobs that fit, or only read, and the other levels: ok, or a remark with the geometry.",
    remedy: "For whole stripes set the block to the stripe (chunk × data disks) or a multiple, aligned to it. The \
             chunk is chosen when the array is created (mdadm --chunk).",
    needs: Needs::Job,
    kernels: "2.6.17 and later",
    sources: &["V-63", "V-64", "I-17", "I-54", "Documentation/admin-guide/md.rst"],
    observe: Observe::Once(|scene| each_array(scene, |array| one(scene, array))),
};

/// Chunk and data disks.
#[derive(Debug, Clone, Copy)]
struct Geometry {
    chunk_bytes: u64,
    members: u64,
    data_disks: u64,
}

fn one(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    let (chunk_bytes, chunk) = first_number(scene, array.file("chunk_size"))?;
    let (members, disks) = first_number(scene, array.file("raid_disks"))?;
    let (layout, order) = first_number(scene, array.file("layout"))?;
    let data_disks = data_disks(&array.level, members, layout);
    let data_disks = data_disks.ok_or_else(|| disks.garbled())?;
    let seen = array.seen().show(&chunk).show(&disks).show(&order);
    let geometry = Geometry { chunk_bytes, members, data_disks };
    Ok(match array.has_parity() {
        true => parity(scene, seen, geometry),
        false => other(scene, array, seen, geometry),
    })
}

/// The number of data chunks in a stripe (V-63). The layout of RAID 10 has the
/// number of near copies in its low byte and of far copies in the next byte.
fn data_disks(level: &str, members: u64, layout: u64) -> Option<u64> {
    let disks = match level {
        "raid4" | "raid5" => members.checked_sub(1)?,
        "raid6" => members.checked_sub(2)?,
        "raid1" => 1,
        "raid10" => members / ((layout & 0xff) * (layout >> 8 & 0xff)).max(1),
        _ => members,
    };
    (disks > 0).then_some(disks)
}

fn parity(scene: &Scene<'_>, seen: Observation, geometry: Geometry) -> Observation {
    let Geometry { chunk_bytes, members, data_disks } = geometry;
    let stripe = chunk_bytes.saturating_mul(data_disks);
    let shape = format!("{members} members, {data_disks} of them for data, stripes of {}", size(stripe));
    let job = &scene.job;
    let Some(block) = job.block_bytes_min.filter(|_| job.writes != Some(false)) else {
        return seen.info(shape);
    };
    let is_whole = |bytes: u64| stripe > 0 && bytes.is_multiple_of(stripe);
    let sizes = [job.block_bytes_min, job.block_bytes_max, job.align_bytes];
    if sizes.into_iter().flatten().all(is_whole) {
        return seen.ok(format!("{shape}: writes are whole stripes"));
    }
    match job.random {
        Some(false) => seen.info(format!("{shape}: writes of {} are joined to whole stripes", size(block))),
        _ => seen.warn_for(
            &[Latency, Iops, Bandwidth],
            format!("{shape}: writes of {} must read data and parity first", size(block)),
        ),
    }
}

fn other(scene: &Scene<'_>, array: &Array<'_>, seen: Observation, geometry: Geometry) -> Observation {
    let Geometry { chunk_bytes, members, data_disks } = geometry;
    if chunk_bytes == 0 {
        return seen.ok(format!("{} of {members} members, without chunks", array.level));
    }
    let shape = format!("{} of {members} members, chunks of {}", array.level, size(chunk_bytes));
    match scene.job.block_bytes_max {
        Some(block) if block > chunk_bytes => {
            let pieces = block.div_ceil(chunk_bytes);
            seen.info(format!(
                "{shape}: a block of {} goes to {} of them",
                size(block),
                pieces.min(data_disks)
            ))
        }
        Some(block) => seen.ok(format!("{shape}: a block of {} stays on one", size(block))),
        None => seen.ok(shape),
    }
}
