//! `blk.rq_affinity`: on which CPU does an I/O end?

use super::setting::{hardware_queues, setting};
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::Iops;
use fathom_text::words::counted;

pub(super) const CHECK: Check = Check {
    id: "blk.rq_affinity",
    title: "CPU on which a request is completed",
    reads: "/sys/block/D/queue/rq_affinity; /sys/block/D/mq",
    why: "A drive with fewer queues than there are CPUs interrupts one CPU for the I/Os of many. With 0 that CPU also \
          does all the work of completing them, and becomes the bottleneck; with 1 the work goes to a CPU that shares \
          a cache with the CPU that submitted the I/O; with 2 to exactly that CPU. An NVMe drive with a queue for each \
          CPU interrupts that CPU anyway, and the setting makes no difference.",
    judged: "ok for 1 and 2, and for any value with a queue for each CPU. 0 with fewer queues warns for IOPS. 1 with \
             four or more CPUs to each queue is a remark: 2 may help where one CPU is busy with interrupts \
             (irq.softirq_load shows that).",
    remedy: "fathom run --tune, or echo 2 > /sys/block/D/queue/rq_affinity (1 is the default). Measure both: 2 costs an \
             interrupt between CPUs for each I/O.",
    needs: Needs::Knob("blk.rq_affinity"),
    kernels: "all; 2 since 3.1",
    sources: &["V-13", "Documentation/ABI/stable/sysfs-block"],
    observe: Observe::Once(|scene| scene.each_disk(|disk| one(scene, disk))),
};

/// With this many CPUs for each queue, the interrupts of one CPU can become the
/// bottleneck (a choice of ours). With fewer, all of them share a cache.
const CPUS_A_QUEUE: usize = 4;

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (value, raw) = setting(scene, disk, "rq_affinity", 2)?;
    let cpus = scene.cpus_online()?.len();
    let queues = hardware_queues(scene, disk);
    let shape = format!("{} for {}", counted(queues, "queue"), counted(cpus, "CPU"));
    let seen = Observation::on(&disk.name).show(&raw);
    if queues == 0 {
        return Ok(seen.info(format!("{value}; how many queues it has is not known")));
    }
    Ok(match value {
        _ if queues >= cpus => seen.ok(format!("{shape}: I/O is completed on the CPU that submitted it")),
        0 => {
            seen.warn_for(&[Iops], format!("{shape}, and every I/O is completed where its interrupt arrives"))
        }
        1 if cpus / queues >= CPUS_A_QUEUE => {
            seen.info(format!("{shape}: 2 may spread the work of completing better"))
        }
        1 => seen.ok("completed near the CPU that submitted the I/O"),
        _ => seen.ok("completed on the CPU that submitted the I/O"),
    })
}
