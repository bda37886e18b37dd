//! `safe.readonly`: can the device be written?

use super::view::{each_target, tell};
use crate::audit::{Check, Needs, Observation, Observe, Observed, Safety, Scene};
use fathom_guard::FindingKind::{NoMedium, ReadOnly};
use fathom_guard::{Facts, Finding};

pub(super) const CHECK: Check = Check {
    id: "safe.readonly",
    title: "Read-only, or without a medium",
    reads: "/sys/block/D/ro, size",
    why: "A drive is read-only by a switch, by blockdev --setro, or because it has reached the end of its life: many \
          solid-state drives then refuse writes but still serve reads. A size of 0 means that there is no medium, or \
          that nothing is attached.",
    judged: "Either is bad for a job that writes; a remark for others. Otherwise ok.",
    remedy: "blockdev --getro DEVICE, then --setrw if somebody set it by hand. If it becomes read-only again, see \
             nvme.health and dmesg; copy the data from such a drive, and do not measure it.",
    needs: Needs::Administrator,
    kernels: "2.6.28 and later",
    sources: &["V-2"],
    observe: Observe::Once(|scene| {
        each_target(scene, |safety, facts, findings| {
            let seen = one(scene, safety, facts, findings);
            vec![Observation::or_unknown(&safety.name, seen)]
        })
    }),
};

/// We read the flag again, because for the guard any text other than 1 means
/// that the kernel will decide.
fn one(scene: &Scene<'_>, safety: &Safety, facts: &Facts, findings: &[Finding]) -> Observed {
    let path = facts.graph.target().sys_dir.join("ro");
    let (_, raw) = scene.value::<u8>(&path)?;
    let found = findings.iter().find(|finding| matches!(finding.kind, ReadOnly | NoMedium));
    Ok(match found {
        Some(finding) => tell(scene, safety, finding, path),
        None => Observation::on(&safety.name).with(path, &raw.text).ok("it can be written"),
    })
}
