//! `safe.zfs_member`: does it belong to a ZFS pool?

use super::view::of_signatures;
use crate::audit::{Check, Needs, Observe};
use fathom_device::signature::Signature;

pub(super) const CHECK: Check = Check {
    id: "safe.zfs_member",
    title: "Member of a ZFS pool",
    reads: "the four labels of ZFS at both ends of the device and of its partitions",
    why: "ZFS has its own layer of volumes: in the kernel's lists, a member of a pool is not mounted and not held, \
          even if the pool is in use. Tools that only check those lists have destroyed pools. The only signs are the \
          labels on the device, and that an exclusive open fails while the pool is running.",
    judged: "A label is a warning for a job that writes: the job needs consent by serial number. A device of a pool in \
             use is refused anyway when fathom opens it. For a job that reads: a remark. None: ok.",
    remedy: "zpool status -P shows whether the pool is in use; zpool export ends the use. If the pool is no longer \
             needed: zpool labelclear -f DEVICE, or fathom purge, which clears both ends.",
    needs: Needs::Purge,
    kernels: "all",
    sources: &["V-2"],
    observe: Observe::Once(|scene| of_signatures(scene, is_member, "no label of ZFS")),
};

pub(super) fn is_member(signature: &Signature) -> bool {
    signature.name.starts_with("ZFS")
}
