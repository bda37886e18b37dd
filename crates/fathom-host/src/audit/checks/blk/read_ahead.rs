//! `blk.read_ahead`: how far does the page cache read ahead?

use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::Bandwidth;

pub(super) const CHECK: Check = Check {
    id: "blk.read_ahead",
    title: "Read-ahead",
    reads: "/sys/block/D/queue/read_ahead_kb",
    why: "The page cache reads ahead of a program that reads sequentially, up to this many KiB at a time: 128 by \
          default, more on arrays (twice the stripe). In one measurement with 25,600 reads of 4 KiB the drive saw 561 \
          I/Os at 64 KiB and 296 at 128 KiB. So the figure of a buffered read says as much about this number as about \
          the drive. Direct I/O is not affected.",
    judged: "Direct I/O: n-a. Buffered: a remark, to be reported with the result; 0 warns for bandwidth where the job \
             reads sequentially, because every read then waits for the drive alone.",
    remedy: "fathom run --tune --tune-knob blk.read_ahead, or echo 128 > /sys/block/D/queue/read_ahead_kb. blockdev \
             --setra counts in units of 512 bytes whatever the drive's block: 256 there is 128 KiB here.",
    needs: Needs::NamedKnob("blk.read_ahead"),
    kernels: "all",
    sources: &["T-45", "T-46", "T-47", "Documentation/ABI/stable/sysfs-block"],
    observe: Observe::Once(|scene| scene.each_queue(|disk| one(scene, disk))),
};

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (window_kib, raw) = scene.value::<u64>(disk.queue("read_ahead_kb"))?;
    let seen = Observation::on(&disk.name).show(&raw);
    let job = &scene.job;
    Ok(match (job.direct, window_kib) {
        (Some(true), _) => seen.not_applicable("direct I/O does not read ahead"),
        (_, 0) if job.reads != Some(false) && job.random != Some(true) => seen.warn_for(
            &[Bandwidth],
            "the page cache does not read ahead: buffered sequential reads wait for the drive one by one",
        ),
        (Some(false), _) => seen.info(format!("buffered reads go up to {window_kib} KiB ahead")),
        (None, _) => seen.info(format!("buffered reads would go up to {window_kib} KiB ahead")),
    })
}
