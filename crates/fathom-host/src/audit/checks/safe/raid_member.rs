//! `safe.raid_member`: is it a part of an array, running or not?

use super::view::of_signatures;
use crate::audit::{Check, Needs, Observation, Scene};
use fathom_device::signature::Signature;

pub(super) const CHECK: Check = Check {
    id: "safe.raid_member",
    title: "Member of a RAID array",
    reads: "both ends of the device: md 0.90, 1.0, 1.1, 1.2, Intel IMSM, DDF, and the formats of old RAID adapters",
    why: "An array that is not running leaves no trace in the kernel, only the metadata on its members, at the start or \
          at the very end. To write to one member is to lose the array's redundancy, and to write to two is to lose the \
          array. Left-over metadata also wakes up: at the next boot an old array may be put together from what was \
          meant to be a fresh drive, and take it away from the test.",
    judged: "Metadata of an array is a warning for a job that writes: it takes consent by serial number. For a job that \
             reads: a remark. None: ok. A member of a running array is refused by safe.holders.",
    remedy: "mdadm --examine DEVICE tells which array it is. If that is gone for good: mdadm --zero-superblock DEVICE, or \
             fathom purge. Do so before you make a new array of it.",
    needs: Needs::Purge,
    kernels: "all",
    sources: &["I-14", "I-16", "V-2"],
    counters: &[],
    look,
};

/// How the formats are called (signature/table/members.rs and
/// signature/probes/arrays.rs): `md member (1.2)`, `DDF RAID member`.
const FORMATS: [&str; 2] = ["md member", "RAID member"];

pub(super) fn is_member(signature: &Signature) -> bool {
    FORMATS.iter().any(|format| signature.name.contains(format))
}

fn look(scene: &Scene<'_>) -> Vec<Observation> {
    of_signatures(scene, is_member, "no metadata of an array")
}
