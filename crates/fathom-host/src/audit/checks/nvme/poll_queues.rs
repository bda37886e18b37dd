//! `nvme.poll_queues`: are there queues for polling, if the job polls?

use super::drive::each_namespace;
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::Latency;
use fathom_device::root::Unknown;

const PARAMETER: &str = "/sys/module/nvme/parameters/poll_queues";

pub(super) const CHECK: Check = Check {
    id: "nvme.poll_queues",
    title: "Queues for polled I/O",
    reads: "/sys/module/nvme/parameters/poll_queues, /sys/block/D/queue/io_poll",
    why: "With polled I/O the CPU checks for completions again and again instead of waiting for an interrupt, which \
          saves some microseconds of each I/O and costs a whole CPU. It needs queues without interrupts, and the nvme \
          driver reserves none by default. Without them, depending on the kernel's version, a polled job fails, or its \
          I/O is completed by interrupts although the job seems to poll.",
    judged: "bad for latency if the job polls but the disk cannot be polled. A remark if it cannot be polled and no \
             job polls. ok if the disk can be polled.",
    remedy: "Load the driver again with queues for polling: options nvme poll_queues=4 in modprobe.d and a reboot, or \
             write the number to the parameter and reset the controller (nvme reset /dev/nvmeX), which interrupts \
             every user of the drive. fathom does neither. Writing to queue/io_poll has had no effect since 5.16.",
    needs: Needs::Reload,
    kernels: "poll_queues: 5.0 and later",
    sources: &["Documentation/block/queue-sysfs", "io_uring_setup(2), IORING_SETUP_IOPOLL"],
    observe: Observe::Once(|scene| each_namespace(scene, |disk, _| one(scene, disk))),
};

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let io_poll = scene.read(disk.queue("io_poll"))?;
    let seen = Observation::on(&disk.name).show(&io_poll);
    // The parameter may have been written after the queues were made, so it
    // is shown but does not decide.
    let seen = match scene.value::<u32>(PARAMETER) {
        Ok((_, raw)) => seen.show(&raw),
        Err(unknown) => seen.without(unknown),
    };
    Ok(match (io_poll.text.as_str(), scene.job.polled) {
        ("1", _) => seen.ok("there are queues for polling"),
        ("0", Some(true)) => seen.bad_for(&[Latency], "the job polls, and the drive has no queue for it"),
        ("0", _) => seen.info("no queues for polling, and no job that needs them"),
        (other, _) => return Err(Unknown::garbled(&io_poll.path, other)),
    })
}
