//! `blk.512e`: does the drive emulate small sectors?

use crate::audit::checks::wording::size;
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::{Iops, Latency};

pub(super) const CHECK: Check = Check {
    id: "blk.512e",
    title: "Sectors smaller than the drive's own",
    reads: "/sys/block/D/queue/logical_block_size, physical_block_size",
    why: "Many drives accept addresses in units of 512 bytes but store blocks of 4,096 bytes. A write of less than \
          that, or one that begins in the middle, makes the drive read the rest first, join the two and write all of \
          it: the read-modify-write. On a hard disk it costs a turn of the disk (8 ms at 7,200/min), on flash write \
          amplification.",
    judged: "ok where both sizes are the same. Otherwise a job that writes blocks smaller than the physical one, or at \
             offsets that are not a multiple of it, warns for IOPS and latency; without a job it is a remark.",
    remedy: "Use blocks and alignment of the physical size, or more. If 512-byte figures are wanted, format an NVMe \
             drive with 512-byte blocks and report that it was done (see nvme.lbaf; formatting deletes all data).",
    needs: Needs::Job,
    kernels: "2.6.31 and later",
    sources: &["V-24", "V-44", "H-1", "Documentation/ABI/stable/sysfs-block"],
    observe: Observe::Once(|scene| scene.each_queue(|disk| one(scene, disk))),
};

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (logical, raw) = scene.value::<u64>(disk.queue("logical_block_size"))?;
    let (physical, stored) = scene.value::<u64>(disk.queue("physical_block_size"))?;
    let seen = Observation::on(&disk.name).show(&raw).show(&stored);
    let job = &scene.job;
    if logical == 0 || physical < logical {
        return Err(stored.garbled());
    }
    if physical == logical {
        return Ok(seen.ok(format!("addressed and stored in blocks of {}", size(physical))));
    }
    let is_partial = |bytes: u64| !bytes.is_multiple_of(physical);
    let partial = [job.block_bytes_min, job.block_bytes_max, job.align_bytes]
        .into_iter()
        .flatten()
        .find(|b| is_partial(*b));
    Ok(match (partial, job.writes, job.block_bytes_min) {
        (Some(bytes), None | Some(true), _) => seen.warn_for(
            &[Iops, Latency],
            format!(
                "writes in steps of {} change only parts of physical blocks of {}",
                size(bytes),
                size(physical)
            ),
        ),
        (Some(bytes), Some(false), _) => {
            seen.info(format!("reads of {} fetch physical blocks of {}", size(bytes), size(physical)))
        }
        (None, _, Some(_)) => {
            seen.ok(format!("the job's blocks are whole physical blocks of {}", size(physical)))
        }
        (None, _, None) => seen.info(format!(
            "addressed by {}, stored by {}: smaller writes are read-modify-write",
            size(logical),
            size(physical)
        )),
    })
}
