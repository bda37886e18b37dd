//! `sys.aio`: are there enough slots for libaio?

use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::aio::AioSlots;

pub(super) const CHECK: Check = Check {
    id: "sys.aio",
    title: "Slots for asynchronous I/O (libaio)",
    reads: "/proc/sys/fs/aio-nr, aio-max-nr",
    why: "Every libaio context reserves a number of slots, and the whole host has a limited number of them (65,536 by \
          default). If a database holds most of them, too few are left, and io_setup fails with EAGAIN (try again): \
          the job does not start, or starts with fewer workers. io_uring does not use these slots.",
    judged: "bad for every goal where a libaio job needs more slots than are free (the sum of the depths of all \
             workers). Without a job, fewer than 1,024 free slots warn: sixteen workers at depth 64. Other engines: \
             n-a.",
    remedy: "sysctl fs.aio-max-nr=1048576; a slot costs kernel memory only once it is reserved. Where fewer than 1,024 \
             are free, fathom run --tune does it for a run. Or use the io_uring engine.",
    needs: Needs::Knob("sys.aio"),
    kernels: "2.6 and later",
    sources: &["V-10", "V-31"],
    observe: Observe::Once(observe),
};

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let engine = scene.job.engine.as_deref();
    if engine.is_some_and(|engine| engine != "libaio") {
        return vec![Observation::on("host").not_applicable("the job does not use libaio")];
    }
    let needed = engine.and(scene.job.iodepth);
    vec![Observation::or_unknown("host", judge(scene, needed))]
}

fn judge(scene: &Scene<'_>, needed: Option<u64>) -> Observed {
    let (used, used_raw) = scene.value::<u64>("/proc/sys/fs/aio-nr")?;
    let (max, max_raw) = scene.value::<u64>("/proc/sys/fs/aio-max-nr")?;
    let slots = AioSlots { used, max };
    let free = slots.free();
    let seen = Observation::on("host").show(&used_raw).show(&max_raw);
    Ok(match needed {
        Some(needed) if needed > free => {
            seen.bad(format!("the job needs {needed} slots, {free} of {max} are free"))
        }
        None if slots.are_few() => seen.warn(format!("only {free} of {max} slots are free")),
        _ => seen.ok(format!("{free} of {max} slots are free")),
    })
}
