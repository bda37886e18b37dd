//! `safe.lvm_pv`: does it belong to a volume group?

use super::view::of_signatures;
use crate::audit::{Check, Needs, Observe};
use fathom_device::signature::Signature;

pub(super) const CHECK: Check = Check {
    id: "safe.lvm_pv",
    title: "Physical volume of LVM",
    reads: "the first four sectors of the device and of its partitions",
    why: "A physical volume holds a part of a volume group; the kernel does not show volumes that are not active. The \
          group's metadata is at the start of every physical volume, so a test that begins at offset 0 first destroys \
          the information where each volume is.",
    judged: "A label of LVM is a warning for a job that writes: the job needs consent by serial number. For a job that \
             reads: a remark. None: ok. With active volumes the device is held, and refused by safe.holders.",
    remedy: "pvs and lvs show what is on it. A logical volume can be measured itself: lvcreate, then give it as the \
             target. To empty the drive: vgreduce, pvremove, then fathom purge.",
    needs: Needs::Purge,
    kernels: "all",
    sources: &["V-2", "I-14"],
    observe: Observe::Once(|scene| of_signatures(scene, is_volume, "no label of LVM")),
};

pub(super) fn is_volume(signature: &Signature) -> bool {
    signature.name.starts_with("LVM")
}
