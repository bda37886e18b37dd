//! `safe.swap`: is memory kept on it?

use super::view::of_kinds;
use crate::audit::{Check, Needs, Observation, Scene};
use fathom_guard::FindingKind::Swap;

pub(super) const CHECK: Check = Check {
    id: "safe.swap",
    title: "Active swap",
    reads: "/proc/swaps",
    why: "Active swap holds pages of running programs. To overwrite it is to change their memory; to measure beside it \
          is to share the drive with whatever the kernel moves out.",
    judged: "Active swap on the target, or on anything that shares bytes with it, is bad for a job that writes, and no \
             consent outweighs it; for a job that reads it is a remark. None: ok.",
    remedy: "swapoff DEVICE (memory must be able to take it back), and swapon afterwards; or measure another drive.",
    needs: Needs::Administrator,
    kernels: "all; without swap in the kernel there is no table and no swap",
    sources: &["V-2", "V-68"],
    counters: &[],
    look,
};

fn look(scene: &Scene<'_>) -> Vec<Observation> {
    of_kinds(scene, &[Swap], |_| "/proc/swaps".into(), "no swap is on it")
}
