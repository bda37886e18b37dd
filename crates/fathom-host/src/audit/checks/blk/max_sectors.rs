//! `blk.max_sectors`: are large blocks split into several requests?

use crate::audit::checks::wording::size;
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::Bandwidth;

pub(super) const CHECK: Check = Check {
    id: "blk.max_sectors",
    title: "Largest request",
    reads: "/sys/block/D/queue/max_sectors_kb, max_hw_sectors_kb",
    why: "A block larger than this is split into pieces, which go to the drive one by one. One I/O of the job is then \
          several I/Os of the drive: each costs CPU time and an interrupt, the slowest of them decides the latency, \
          and the drive sees another block size than the report names. The hardware often accepts more than the \
          kernel's cautious default.",
    judged: "ok where the largest block of the job fits. A larger one warns for bandwidth. Without a job, a limit \
             below the hardware's is a remark.",
    remedy: "Up to max_hw_sectors_kb: fathom run --tune, or echo 1024 > /sys/block/D/queue/max_sectors_kb. Above that, \
             only a smaller block helps. On some old drivers both were the same, and writing a larger number failed \
             with EINVAL (invalid argument).",
    needs: Needs::Knob("blk.max_sectors"),
    kernels: "all",
    sources: &["M-14", "Documentation/ABI/stable/sysfs-block"],
    observe: Observe::Once(|scene| scene.each_queue(|disk| one(scene, disk))),
};

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (limit_kib, raw) = scene.value::<u64>(disk.queue("max_sectors_kb"))?;
    let (hardware_kib, hardware) = scene.value::<u64>(disk.queue("max_hw_sectors_kb"))?;
    let seen = Observation::on(&disk.name).show(&raw).show(&hardware);
    let (limit, most) = (limit_kib.saturating_mul(1024), hardware_kib.saturating_mul(1024));
    Ok(match scene.job.block_bytes_max {
        Some(block) if block > most => {
            let pieces = block.div_ceil(limit.max(1));
            let says = format!(
                "blocks of {} go in {pieces} pieces; the hardware takes at most {}",
                size(block),
                size(most)
            );
            seen.warn_for(&[Bandwidth], says)
        }
        Some(block) if block > limit => {
            let pieces = block.div_ceil(limit.max(1));
            seen.warn_for(
                &[Bandwidth],
                format!(
                    "blocks of {} go in {pieces} pieces, although the hardware takes them whole",
                    size(block)
                ),
            )
        }
        Some(_) => seen.ok(format!("every block fits into one request of {}", size(limit))),
        None if limit < most => {
            seen.info(format!("requests of at most {}; the hardware takes {}", size(limit), size(most)))
        }
        None => seen.ok(format!("requests of {}, as much as the hardware takes", size(limit))),
    })
}
