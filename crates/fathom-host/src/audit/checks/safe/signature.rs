//! `safe.signature`: does it hold a file system or anything else?

use super::view::{each_target, of_signatures, tell};
use super::{lvm_pv, raid_member, zfs_member};
use crate::audit::{Check, Needs, Observation, Scene, Verdict};
use fathom_device::signature::{Class, Signature};
use fathom_guard::FindingKind::UnknownContents;

pub(super) const CHECK: Check = Check {
    id: "safe.signature",
    title: "File system, encryption or unknown data on it",
    reads: "the first 2.06 MiB and the last 2 MiB of the device and of its partitions, and the places of spare superblocks",
    why: "A drive that nobody mounts may still hold somebody's data. Formats leave signatures at known places, which are \
          looked for with a table of our own; and what no table knows is still data: any byte that is not zero in \
          what was read counts. fio, by comparison, looks at the mount table only, so a member of a stopped array passes.",
    judged: "A signature is a warning for a job that writes: it takes consent that names the drive by its serial number, \
             and says what will be lost. So are bytes of no known format (at the fio door those are passed over, for \
             scripts find there what their own last run left). For a job that reads: a remark. Blank wherever it was read: ok; \
             a run that writes with --write also takes samples of the whole device, which is too slow for an audit. \
             Without the right to read the device: n-a, and the guard then takes it for full.",
    remedy: "Look at what it is: blkid -p DEVICE, wipefs -n DEVICE. If it may go: fathom run --destroy SERIAL, or fathom \
             purge, which also proves that it is gone.",
    needs: Needs::Purge,
    kernels: "all",
    sources: &["V-2", "I-14", "T-54"],
    counters: &[],
    look,
};

fn look(scene: &Scene<'_>) -> Vec<Observation> {
    let mut seen = of_signatures(scene, is_ours, "no file system, no encryption, no swap area");
    let residue = each_target(scene, |safety, _, findings| {
        let told = findings.iter().filter(|finding| finding.kind == UnknownContents);
        told.map(|finding| tell(scene, safety, finding, format!("/dev/{}", finding.node).into())).collect()
    });
    let residue: Vec<Observation> =
        residue.into_iter().filter(|seen| seen.verdicts.worst() != Verdict::NotApplicable).collect();
    // Of a device with bytes of no known format it would be wrong to say ok.
    seen.retain(|one| {
        one.verdicts.worst() != Verdict::Ok || residue.iter().all(|r| r.subject != one.subject)
    });
    seen.extend(residue);
    seen
}

/// What no other check of the family tells.
fn is_ours(signature: &Signature) -> bool {
    let others =
        raid_member::is_member(signature) || lvm_pv::is_volume(signature) || zfs_member::is_member(signature);
    signature.class != Class::PartitionTable && !others
}
