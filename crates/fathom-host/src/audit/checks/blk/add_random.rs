//! `blk.add_random`: does every I/O feed the random number generator?

use super::setting::{is_rotational, setting};
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::{Iops, Latency};

pub(super) const CHECK: Check = Check {
    id: "blk.add_random",
    title: "I/O as a source of randomness",
    reads: "/sys/block/D/queue/add_random, rotational",
    why: "The time at which a spinning disk answers is hard to guess, so the kernel can mix it into its random number \
          pool at the end of every I/O. The time of a solid-state drive adds hardly any randomness, and at a million \
          I/Os a second the mixing costs CPU time without a gain. The effect is small.",
    judged: "0 is ok. 1 on a solid-state drive warns for IOPS and latency; on a hard disk it is ok.",
    remedy: "fathom run --tune, or echo 0 > /sys/block/D/queue/add_random. Current kernels get their randomness from \
             other sources and do not need this one.",
    needs: Needs::Knob("blk.add_random"),
    kernels: "2.6.36 and later",
    sources: &["Documentation/ABI/stable/sysfs-block"],
    observe: Observe::Once(|scene| scene.each_disk(|disk| one(scene, disk))),
};

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (value, raw) = setting(scene, disk, "add_random", 1)?;
    let seen = Observation::on(&disk.name).show(&raw);
    if value == 0 {
        return Ok(seen.ok("I/O does not feed the random number pool"));
    }
    Ok(match is_rotational(scene, disk)? {
        true => seen.ok("I/O feeds the random number pool, which costs little on a hard disk"),
        false => seen.warn_for(
            &[Iops, Latency],
            "every I/O of a solid-state drive is mixed into the random number pool",
        ),
    })
}
