//! `blk.iostats`: does the kernel count the I/O?

use super::setting::setting;
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::Repeatability;

pub(super) const CHECK: Check = Check {
    id: "blk.iostats",
    title: "The kernel's I/O counters",
    reads: "/sys/block/D/queue/iostats",
    why: "The kernel counts I/Os, sectors and times of each disk; iostat shows them, and every check for I/O that is \
          not the job's uses them. Without them nobody can say whether the job had the disk to itself, and the \
          measured figure cannot be compared with the kernel's own. Counting costs two clock readings for each I/O, \
          which shows only at millions of I/Os a second.",
    judged: "1 is ok. 0 warns for repeatability, because I/O of other programs cannot be seen, and is a remark for the \
             others.",
    remedy: "fathom run --tune, or echo 1 > /sys/block/D/queue/iostats. Switch it off only to reach a record figure, \
             and say so with the result.",
    needs: Needs::Knob("blk.iostats"),
    kernels: "2.6.29 and later",
    sources: &["I-28", "T-34", "Documentation/ABI/stable/sysfs-block"],
    observe: Observe::Once(|scene| scene.each_queue(|disk| one(scene, disk))),
};

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (value, raw) = setting(scene, disk, "iostats", 1)?;
    let seen = Observation::on(&disk.name).show(&raw);
    Ok(match value {
        1 => seen.ok("I/O is counted"),
        _ => seen.warn_for(
            &[Repeatability],
            "I/O is not counted, so nobody can see whether the job had the disk to itself",
        ),
    })
}
