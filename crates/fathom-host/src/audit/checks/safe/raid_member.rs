//! `safe.raid_member`: is it a member of an array, running or not?

use super::view::of_signatures;
use crate::audit::{Check, Needs, Observe};
use fathom_device::signature::Signature;

pub(super) const CHECK: Check = Check {
    id: "safe.raid_member",
    title: "Member of a RAID array",
    reads: "both ends of the device: md 0.90, 1.0, 1.1, 1.2, Intel IMSM, DDF, and the formats of old RAID adapters",
    why: "The kernel does not show an array that is not running; only its members hold metadata, at the start or at \
          the very end. A write to one member destroys the array's redundancy, and a write to two destroys the array. \
          Old metadata can also cause trouble later: at the next boot the system may assemble an old array from drives \
          that were meant for a test.",
    judged: "Metadata of an array is a warning for a job that writes: the job needs consent by serial number. For a \
             job that reads: a remark. None: ok. A member of a running array is refused by safe.holders.",
    remedy: "mdadm --examine DEVICE shows which array it is. If that array is no longer needed: mdadm \
             --zero-superblock DEVICE, or fathom purge. Do so before you use the drive in a new array.",
    needs: Needs::Purge,
    kernels: "all",
    sources: &["I-14", "I-16", "V-2"],
    observe: Observe::Once(|scene| of_signatures(scene, is_member, "no metadata of an array")),
};

/// The names of the formats (signature/table/members.rs and
/// signature/probes/arrays.rs): `md member (1.2)`, `DDF RAID member`.
const FORMATS: [&str; 2] = ["md member", "RAID member"];

pub(super) fn is_member(signature: &Signature) -> bool {
    FORMATS.iter().any(|format| signature.name.contains(format))
}
