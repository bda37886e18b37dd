//! `safe.holders`: is something made of it?

use super::view::of_kinds;
use crate::audit::{Check, Needs, Observation, Scene};
use fathom_guard::Finding;
use fathom_guard::FindingKind::{Held, LoopBacking};

pub(super) const CHECK: Check = Check {
    id: "safe.holders",
    title: "Held by an array, volume or loop device",
    reads: "/sys/block/*/holders and slaves; the file behind each loop device (LOOP_GET_STATUS64)",
    why: "A device that is a member of a running array, of an active volume, of an open encrypted volume or that stands \
          behind a loop device belongs to that: its bytes are somebody's file system, one storey up. Loop devices are \
          not listed among the holders by the kernel, so they are looked for by what is behind them.",
    judged: "Any holder, direct or further up, is bad for a job that writes, and no consent outweighs it; for a job that \
             reads it is a remark. None: ok.",
    remedy: "Measure the thing that is made of it (the array, the volume), or take that apart first: mdadm --stop, \
             vgchange -an, cryptsetup close, losetup -d.",
    needs: Needs::Administrator,
    kernels: "2.6.24 and later",
    sources: &["V-2", "I-14"],
    counters: &[],
    look,
};

fn look(scene: &Scene<'_>) -> Vec<Observation> {
    let path = |finding: &Finding| format!("/sys/class/block/{}", finding.node).into();
    of_kinds(scene, &[Held, LoopBacking], path, "nothing is made of it")
}
