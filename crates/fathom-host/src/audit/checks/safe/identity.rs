//! `safe.identity`: which name identifies this drive and no other?

use super::view::each_target;
use crate::audit::{Check, Grade, Grades, Needs, Observation, Observe, Scene};
use fathom_guard::{Facts, consent_words};

pub(super) const CHECK: Check = Check {
    id: "safe.identity",
    title: "Names that stay with the drive",
    reads: "serial, wwid, vpd_pg80, size, diskseq of the disk in /sys; /run/udev/data; /dev/disk/by-id",
    why: "sdb and nvme0n1 are numbers in the order of discovery: after the next boot, or a reset, they may mean \
          another drive. Consent to destroy data, tuning that is restored and results that are compared over months \
          all need a name that never changes. Some drives have no such name (cheap bridges, virtual disks), and some \
          share one (two namespaces of one controller have the same serial number).",
    judged: "ok with a name that no other disk of the host has; a remark where only a by-id name, a backing file or \
             the sequence number with the size can be used instead. No name at all is bad for a job that writes, \
             because consent cannot name this drive, and a remark for other jobs.",
    remedy: "Give virtual disks a serial (QEMU: serial=, and similar elsewhere), replace the bridge, or use a \
             partition or a file as the target. If the serial number is shared, use the world-wide identifier (WWID), \
             which the refusal prints.",
    needs: Needs::Administrator,
    kernels: "diskseq since 5.15; the rest in all kernels",
    sources: &["V-2", "M-4"],
    observe: Observe::Once(|scene| {
        each_target(scene, |safety, facts, _| vec![one(scene, &safety.name, facts)])
    }),
};

fn one(scene: &Scene<'_>, name: &str, facts: &Facts) -> Observation {
    let identity = &facts.identity;
    let words = consent_words(identity, &facts.others);
    let dir = &facts.graph.whole_disk().sys_dir;
    let seen = Observation::on(name).with(dir, identity.describe());
    let is_born = identity.serial.is_some() || identity.wwid.is_some();
    let Some(word) = words.first() else {
        let verdict = if scene.job.writes == Some(true) { Grade::Bad } else { Grade::Info };
        return seen.judge(Grades::all(verdict), "no name identifies this drive alone");
    };
    match is_born && !word.contains(':') {
        true => seen.ok(format!("its name is {word}")),
        false => seen.info(format!("it has no lasting name; {word} identifies it until it changes")),
    }
}
