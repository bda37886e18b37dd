//! `md.threads`: how many CPUs compute parity?

use super::array::{Array, each_array};
use crate::audit::{Check, Needs, Observe, Observed, Scene};
use fathom_device::Goal::Iops;
use fathom_text::words::counted;

pub(super) const CHECK: Check = Check {
    id: "md.threads",
    title: "Threads that handle stripes",
    reads: "/sys/block/mdX/md/group_thread_cnt, level",
    why: "RAID 4, 5 and 6 do all writes in one kernel thread by default (0). One CPU handles some hundred thousand \
          stripes a second; four NVMe drives can do more, and then the figure is that of a single core. With N, each \
          NUMA node gets N helper threads. Intel measured about 10 % more random writes with 4, and slower reads with \
          more than that.",
    judged: "0 on an array of NVMe drives warns for IOPS, unless the job only reads. Above 8 it is a remark. Other \
             members, and other levels, do not need it.",
    remedy: "fathom run --tune, or echo 4 > /sys/block/mdX/md/group_thread_cnt; measure reads again afterwards. It is \
             0 again after the next assembly of the array.",
    needs: Needs::Knob("md.threads"),
    kernels: "3.12 and later",
    sources: &["I-19", "I-40", "Documentation/admin-guide/md.rst"],
    observe: Observe::Once(|scene| each_array(scene, |array| one(scene, array))),
};

/// With more threads than this on each NUMA node, reads can be slower (I-19
/// measured it above 4; 8 leaves room for larger arrays).
const THREADS_PLENTY: u64 = 8;

fn one(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    if !array.has_parity() {
        return Ok(array.seen().not_applicable(format!("{} computes no parity", array.level)));
    }
    let (threads, raw) = scene.value::<u64>(array.file("group_thread_cnt"))?;
    let seen = array.seen().show(&raw);
    Ok(match threads {
        0 if scene.job.writes == Some(false) => seen.info("one thread for all stripes; the job only reads"),
        0 if array.is_of_nvme(scene) => {
            seen.warn_for(&[Iops], "one thread handles the stripes of all the NVMe drives")
        }
        0 => seen.ok("one thread handles the stripes, which is enough for members of this kind"),
        1..=THREADS_PLENTY => seen.ok(format!("{} on each node for the stripes", counted(threads, "thread"))),
        _ => seen.info(format!("{threads} threads on each node: so many can make reads slower")),
    })
}
