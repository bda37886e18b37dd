//! `safe.signature`: does it hold a file system or other data?

use super::view::{of_signatures, with_kind};
use super::{lvm_pv, raid_member, zfs_member};
use crate::audit::{Check, Needs, Observation, Observe, Scene};
use fathom_device::signature::{Class, Signature};
use fathom_guard::FindingKind::UnknownContents;

pub(super) const CHECK: Check = Check {
    id: "safe.signature",
    title: "File system, encryption or unknown data on it",
    reads: "the first 2.06 MiB and the last 2 MiB of the device and of its partitions, and the places of spare superblocks",
    why: "A drive that nobody mounts may still hold somebody's data. Formats leave signatures at known places, and \
          fathom looks for all that it knows. Unknown formats are data too: any byte that is not zero in what was read \
          counts. fio, by comparison, checks only the mount table, so it writes to a member of a stopped array.",
    judged: "A signature is a warning for a job that writes: the job needs consent that names the drive by its serial \
             number, and the warning says what will be lost. Bytes of no known format are a warning too (fathom fio \
             ignores them, because they are often what a script's own last run left). For a job that reads: a remark. \
             Only zeros in all that was read: ok; a run with --write also takes samples of the whole device, which is \
             too slow for an audit. Without the right to read the device: n-a, and the guard then assumes that it \
             holds data.",
    remedy: "Find out what it is: blkid -p DEVICE, wipefs -n DEVICE. If the data may be deleted: fathom run --destroy \
             SERIAL, or fathom purge, which also proves that it is gone.",
    needs: Needs::Purge,
    kernels: "all",
    sources: &["V-2", "I-14", "T-54"],
    observe: Observe::Once(observe),
};

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let seen = of_signatures(scene, is_ours, "no file system, no encryption, no swap area");
    // A device with bytes of no known format is not ok.
    with_kind(scene, seen, UnknownContents, |node| format!("/dev/{node}").into())
}

/// Whether no other check of the family reports the signature.
fn is_ours(signature: &Signature) -> bool {
    let others =
        raid_member::is_member(signature) || lvm_pv::is_volume(signature) || zfs_member::is_member(signature);
    signature.class != Class::PartitionTable && !others
}
