//! `md.sync_speed`: how fast may the array sync?

use super::array::{Array, each_array, first_number};
use crate::audit::{Check, Needs, Observe, Observed, Scene};

pub(super) const CHECK: Check = Check {
    id: "md.sync_speed",
    title: "Speed limits of the array's sync",
    reads: "/sys/block/mdX/md/sync_speed_min, sync_speed_max, sync_speed, sync_action",
    why: "sync_speed_max limits a sync, in KiB/s for each member: 200,000 by default, chosen for hard disks. At that \
          rate four NVMe drives of 3.84 TB take more than five hours, and less than one hour where only the drives are \
          the limit. While other I/O goes on, a sync gets at least sync_speed_min (1,000). Neither limit costs \
          anything while the array is idle.",
    judged: "ok while nothing is synced. A sync that runs at its limit warns for every goal, because nothing may be \
             measured until it is over; one that is slower than its limit is a remark.",
    remedy: "fathom tune plan offers it. By hand: echo 5000000 > /sys/block/mdX/md/sync_speed_max; the word system \
             restores the limit of all arrays (/proc/sys/dev/raid/speed_limit_max).",
    needs: Needs::NamedKnob("md.sync_speed"),
    kernels: "2.6.17 and later",
    sources: &["I-20", "Documentation/admin-guide/md.rst"],
    observe: Observe::Once(|scene| each_array(scene, |array| one(scene, array))),
};

/// From this share of its limit on, a sync counts as limited by it. The kernel
/// averages over some seconds, and stays a little below the limit.
const AT_LIMIT_PERCENT: u64 = 90;

fn one(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    if !array.has_redundancy() {
        return Ok(array.seen().not_applicable(format!("{} has nothing to sync", array.level)));
    }
    let (most, max) = first_number(scene, array.file("sync_speed_max"))?;
    let (least, min) = first_number(scene, array.file("sync_speed_min"))?;
    let action = scene.read(array.file("sync_action"))?;
    let seen = array.seen().show(&max).show(&min).show(&action);
    if matches!(action.text.as_str(), "idle" | "frozen") {
        return Ok(seen.ok(format!("nothing is synced; {least} to {most} KiB/s would be allowed")));
    }
    let (speed, raw) = scene.value::<u64>(array.file("sync_speed"))?;
    let seen = seen.show(&raw);
    Ok(if speed.saturating_mul(100) >= most.saturating_mul(AT_LIMIT_PERCENT) {
        seen.warn(format!("{} goes at {speed} of {most} KiB/s: a higher limit ends it sooner", action.text))
    } else {
        seen.info(format!("{} goes at {speed} KiB/s, below its limit of {most}", action.text))
    })
}
