//! `safe.zfs_member`: does it belong to a ZFS pool?

use super::view::of_signatures;
use crate::audit::{Check, Needs, Observation, Scene};
use fathom_device::signature::Signature;

pub(super) const CHECK: Check = Check {
    id: "safe.zfs_member",
    title: "Member of a ZFS pool",
    reads: "the four labels of ZFS at both ends of the device and of its partitions",
    why: "ZFS brings its own layer of volumes: a member of a pool, even of one that is in use, is neither mounted nor \
          held as far as the kernel's lists go. Tools that look at those only have wiped pools. The labels on the \
          device are the one sign, with the exclusive open that a running pool makes fail.",
    judged: "A label is a warning for a job that writes: it takes consent by serial number, and a pool in use is refused \
             all the same when the device is opened. For a job that reads: a remark. None: ok.",
    remedy: "zpool status -P tells whether the pool is in use; zpool export takes it out of use. If it is gone for good: \
             zpool labelclear -f DEVICE, or fathom purge, which clears both ends.",
    needs: Needs::Purge,
    kernels: "all",
    sources: &["V-2"],
    counters: &[],
    look,
};

pub(super) fn is_member(signature: &Signature) -> bool {
    signature.name.starts_with("ZFS")
}

fn look(scene: &Scene<'_>) -> Vec<Observation> {
    of_signatures(scene, is_member, "no label of ZFS")
}
