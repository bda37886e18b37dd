//! `blk.nr_requests`: how many requests may wait in the kernel?

use super::setting::{hardware_queues, scheduler};
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::Iops;

pub(super) const CHECK: Check = Check {
    id: "blk.nr_requests",
    title: "Requests that may wait in the block queue",
    reads: "/sys/block/D/queue/nr_requests, scheduler; /sys/block/D/mq/*/nr_tags",
    why: "Every I/O needs a request structure, and a hardware queue has a fixed number of them. When they are all in \
          use, the next I/O waits in the kernel, and the depth that the job asks for is never reached. Without a \
          scheduler the number is that of the driver's tags and cannot be raised; with a scheduler the default is \
          twice the number of tags, 256 at most.",
    judged: "ok without a scheduler, and with one at its default or above. A number below the default warns for IOPS, \
             and so does a job with more I/Os in flight than all queues hold together. Devices that are made of other \
             devices have no requests of their own and are not checked.",
    remedy: "Nothing to do without a scheduler: depth belongs in the job. With one: fathom run --tune \
             --tune-knob blk.nr_requests, or echo 256 > /sys/block/D/queue/nr_requests (a switch of the \
             scheduler resets it). The old advice to write 4096 gave some 10 % on a single-queue kernel of \
             2006; today the tags of the drive are the limit.",
    needs: Needs::NamedKnob("blk.nr_requests"),
    kernels: "all; since the multi-queue layer became the only one (5.0) with this meaning",
    sources: &["M-15", "M-1", "Documentation/ABI/stable/sysfs-block"],
    observe: Observe::Once(|scene| scene.each_disk(|disk| one(scene, disk))),
};

/// A scheduler gets twice the tags for each queue, but at most twice 128
/// (`blk_mq_default_nr_requests`, block/blk-mq-sched.h).
const TAGS_COUNTED_MAX: u64 = 128;

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (requests, raw) = scene.value::<u64>(disk.queue("nr_requests"))?;
    let seen = Observation::on(&disk.name).show(&raw);
    let scheduler = scheduler(scene, disk)?;
    let queues = hardware_queues(scene, disk).max(1) as u64;
    let room = requests.saturating_mul(queues);
    if let Some(depth) = scene.job.iodepth.filter(|depth| *depth > room) {
        let says =
            format!("{depth} I/Os in flight do not fit into {room} ({requests} in {})", each_of(queues));
        return Ok(seen.warn_for(&[Iops], says));
    }
    if scheduler == "none" {
        return Ok(seen.ok(format!("{requests} in {}, the number of the driver's tags", each_of(queues))));
    }
    let default = default_requests(scene, disk);
    Ok(match default {
        Some(default) if requests < default => {
            seen.warn_for(&[Iops], format!("{requests} with {scheduler}, whose default is {default} here"))
        }
        Some(_) => seen.ok(format!("{requests} with {scheduler}")),
        None => seen.info(format!("{requests} with {scheduler}; the driver's tags are not known")),
    })
}

fn each_of(queues: u64) -> String {
    if queues == 1 { "one queue".to_owned() } else { format!("each of {queues} queues") }
}

fn default_requests(scene: &Scene<'_>, disk: &Disk) -> Option<u64> {
    let (tags, _) = scene.value::<u64>(disk.sys_dir.join("mq/0/nr_tags")).ok()?;
    Some(2 * tags.min(TAGS_COUNTED_MAX))
}
