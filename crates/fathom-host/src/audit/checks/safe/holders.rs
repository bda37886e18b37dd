//! `safe.holders`: is the device part of an array, a volume or a loop device?

use super::view::of_kinds;
use crate::audit::{Check, Needs, Observe};
use fathom_guard::Finding;
use fathom_guard::FindingKind::{Held, LoopBacking};

pub(super) const CHECK: Check = Check {
    id: "safe.holders",
    title: "Held by an array, volume or loop device",
    reads: "/sys/block/*/holders and slaves; the file behind each loop device (LOOP_GET_STATUS64)",
    why: "A device that is a member of a running array, of an active volume, of an open encrypted volume or that is \
          behind a loop device is in use: its bytes may be a file system of the device above it. The kernel does not \
          list loop devices among the holders, so fathom looks at what is behind each loop device.",
    judged: "Any holder, direct or further up, is bad for a job that writes, and fathom refuses it even with consent; \
             for a job that reads it is a remark. None: ok.",
    remedy: "Measure the device that is made of it (the array, the volume), or stop that device first: mdadm --stop, \
             vgchange -an, cryptsetup close, losetup -d.",
    needs: Needs::Administrator,
    kernels: "2.6.24 and later",
    sources: &["V-2", "I-14"],
    observe: Observe::Once(|scene| {
        let path = |finding: &Finding| format!("/sys/class/block/{}", finding.node).into();
        of_kinds(scene, &[Held, LoopBacking], path, "no array, volume or loop device uses it")
    }),
};
