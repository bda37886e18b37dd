//! `blk.wbt`: does the kernel hold back buffered writes?

use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::{Bandwidth, Repeatability};

pub(super) const CHECK: Check = Check {
    id: "blk.wbt",
    title: "Throttling of writeback",
    reads: "/sys/block/D/queue/wbt_lat_usec",
    why: "Writeback throttling watches the latency of reads and lets fewer buffered writes through when they take \
          longer than this many microseconds (2,000 by default on a solid-state drive, 75,000 on a hard disk). This is \
          good for a desktop; a benchmark of buffered writes measures the throttle, whose limit changes all the time. \
          Direct writes are not throttled, and synchronous writes mostly are not.",
    judged: "0 (off) is ok, and so is any value for direct I/O and for jobs that do not write. Above 0 it warns for \
             bandwidth and repeatability where the job writes through the page cache; where the job is not known it \
             is a remark.",
    remedy: "fathom run --tune, or echo 0 > /sys/block/D/queue/wbt_lat_usec. Writing -1 means the default, not the \
             value that was there before; a switch of the scheduler resets it too (bfq turns it off).",
    needs: Needs::Knob("blk.wbt"),
    kernels: "4.10 and later, with CONFIG_BLK_WBT",
    sources: &["Documentation/ABI/stable/sysfs-block", "block/blk-wbt.c"],
    observe: Observe::Once(|scene| scene.each_disk(|disk| one(scene, disk))),
};

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (limit_us, raw) = scene.value::<u64>(disk.queue("wbt_lat_usec"))?;
    let seen = Observation::on(&disk.name).show(&raw);
    let job = &scene.job;
    Ok(match (limit_us, job.direct, job.writes) {
        (0, _, _) => seen.ok("writeback is not throttled"),
        (_, Some(true), _) => seen.ok("writeback throttling does not apply to direct I/O"),
        (_, _, Some(false)) => seen.ok("the job does not write"),
        (_, Some(false), _) => seen.warn_for(
            &[Bandwidth, Repeatability],
            format!("buffered writes are held back once reads take more than {limit_us} µs"),
        ),
        (_, None, _) => {
            seen.info(format!("buffered writes would be held back once reads take more than {limit_us} µs"))
        }
    })
}
