//! `blk.scheduler`: does something reorder and hold back I/O before the drive?

use super::rotational::hypervisor;
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::{Iops, Latency, Repeatability};
use fathom_device::device::DiskKind;

pub(super) const CHECK: Check = Check {
    id: "blk.scheduler",
    title: "I/O scheduler",
    reads: "/sys/block/D/queue/scheduler, rotational",
    why: "A scheduler sorts and merges requests so that the arm of a hard disk moves less. A solid-state drive has no \
          arm: the work costs CPU time and a lock for every request, and delays some of them. mq-deadline still helps \
          a hard disk.",
    judged: "none is ok for solid-state drives; any other warns for IOPS, latency and repeatability. On a hard disk \
             mq-deadline and bfq are ok. Devices without a scheduler of their own (stacked ones): n-a.",
    remedy: "For a run: fathom run --tune. By hand: echo none > /sys/block/D/queue/scheduler; a switch also resets \
             nr_requests and wbt_lat_usec. The boot parameter elevator= has no effect since 5.0.",
    needs: Needs::Knob("blk.scheduler"),
    kernels: "5.0 and later; before, the names were noop, deadline and cfq",
    sources: &["V-16"],
    observe: Observe::Once(|scene| scene.each_queue(|disk| one(scene, disk))),
};

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let raw = scene.read(disk.queue("scheduler"))?;
    let seen = Observation::on(&disk.name).show(&raw);
    // Stacked devices have no requests; their file contains "none" without brackets.
    if raw.text == "none" {
        return Ok(seen.ok("no scheduler"));
    }
    let (chosen, _) = scene.selected(disk.queue("scheduler"))?;
    let is_rotational = scene.value::<u8>(disk.queue("rotational")).is_ok_and(|(value, _)| value == 1);
    Ok(match (chosen.as_str(), is_rotational) {
        ("none", _) => seen.ok("no scheduler"),
        ("mq-deadline" | "bfq", true) if is_made_up(scene, disk) => seen.info(format!(
            "{chosen}, which suits a hard disk; a hypervisor made this one, and it is not known what is behind it"
        )),
        ("mq-deadline" | "bfq", true) => seen.ok(format!("{chosen}, which suits a hard disk")),
        ("mq-deadline" | "bfq" | "kyber", false) => seen.warn_for(&[Iops, Latency, Repeatability], format!("{chosen} sorts requests for a drive that has no arm")),
        _ => seen.info(format!("the scheduler is {chosen}")),
    })
}

/// The flag "rotational" says nothing about a disk that a hypervisor made (blk.rotational).
fn is_made_up(scene: &Scene<'_>, disk: &Disk) -> bool {
    disk.kind == DiskKind::Paravirtual || hypervisor(scene, disk).is_some()
}
