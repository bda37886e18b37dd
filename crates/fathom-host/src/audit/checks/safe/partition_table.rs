//! `safe.partition_table`: is there a partition table?

use super::view::{each_target, of_signatures, tell};
use crate::audit::{Check, Grade, Needs, Observation, Observe, Scene};
use fathom_device::signature::Class;
use fathom_guard::FindingKind::Partition;

pub(super) const CHECK: Check = Check {
    id: "safe.partition_table",
    title: "Partition table",
    reads: "both ends of the device, /sys/block/D/*/partition",
    why: "A partition table shows that somebody divided the drive, so it probably holds data. Writing from offset 0 \
          destroys the table first; the kernel continues with the old partitions until it reads the table again, so \
          the damage shows at the next boot. There may also be a table that the kernel has not read, or partitions \
          whose table no longer exists.",
    judged: "A table or partitions that the kernel knows are a warning for a job that writes to the whole disk: the \
             job needs consent by serial number. For a job that reads: a remark. Neither: ok.",
    remedy: "Give a partition as the target instead of the disk (consent names it SERIAL-partN), or, if the drive may be \
             emptied: fathom purge.",
    needs: Needs::Purge,
    kernels: "all",
    sources: &["V-2", "V-57", "I-21"],
    observe: Observe::Once(observe),
};

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let table = |signature: &_| {
        matches!(signature, fathom_device::signature::Signature { class: Class::PartitionTable, .. })
    };
    let mut seen = of_signatures(scene, table, "no partition table");
    let known = each_target(scene, |safety, _, findings| {
        let told = findings.iter().filter(|finding| finding.kind == Partition);
        let path = |node: &str| format!("/sys/class/block/{node}/partition").into();
        told.map(|finding| tell(scene, safety, finding, path(&finding.node))).collect()
    });
    let known: Vec<Observation> =
        known.into_iter().filter(|seen| seen.verdicts.worst() != Grade::NotApplicable).collect();
    seen.retain(|one| one.verdicts.worst() != Grade::Ok || known.iter().all(|k| k.subject != one.subject));
    seen.extend(known);
    seen
}
