//! `nvme.mdts`: is the job's block one command, or several?

use super::drive::each_namespace;
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};

pub(super) const CHECK: Check = Check {
    id: "nvme.mdts",
    title: "Largest transfer of one command",
    reads: "/sys/block/D/queue/max_hw_sectors_kb",
    why: "One command can only move a limited number of bytes: the maximum data transfer size (MDTS) of the drive and \
          its driver. A larger block is split into several commands that run in parallel, and the I/O is done when the \
          last one is: a queue depth of 1 is then several commands at the drive, the slowest command decides the \
          latency, and a comparison between block sizes compares queue depths too.",
    judged: "A remark if the job's largest block exceeds the limit; ok if it fits; a remark with the limit if the \
             job's blocks are not known.",
    remedy: "The limit is the drive's and cannot be changed. Choose a block size within it if one I/O should be one \
             command; max_sectors_kb, which can be set, is the other limit (blk.max_sectors).",
    needs: Needs::Job,
    kernels: "all",
    sources: &["M-1", "NVM Express Base Specification 2.0, Identify Controller (MDTS)"],
    observe: Observe::Once(|scene| each_namespace(scene, |disk, _| one(scene, disk))),
};

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (limit_kib, raw) = scene.value::<u64>(disk.queue("max_hw_sectors_kb"))?;
    if limit_kib == 0 {
        return Err(raw.garbled());
    }
    let seen = Observation::on(&disk.name).show(&raw);
    let limit = limit_kib.saturating_mul(1024);
    Ok(match scene.job.block_bytes_max {
        None => seen.info(format!("one command moves {limit_kib} KiB at most")),
        Some(block) if block > limit => seen.info(format!(
            "a block of {} KiB becomes {} commands of at most {limit_kib} KiB",
            block / 1024,
            block.div_ceil(limit)
        )),
        Some(block) => seen
            .ok(format!("a block of {} KiB fits into one command of {limit_kib} KiB", block.div_ceil(1024))),
    })
}
