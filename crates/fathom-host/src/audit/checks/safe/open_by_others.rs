//! `safe.open_by_others`: does another program use the device directly?

use super::view::{clear, each_target, tell};
use crate::audit::{Check, Needs, Observation, Observe, Scene};
use fathom_device::root::Unknown;
use fathom_guard::FindingKind::{OpenForReading, OpenForWriting};

pub(super) const CHECK: Check = Check {
    id: "safe.open_by_others",
    title: "Open in another program",
    reads: "/proc/PID/fd of every process (all of them only as root)",
    why: "Databases, virtual machines and storage daemons use devices without any file system. Such a device looks \
          unused to mount and to sysfs, and an exclusive open succeeds, because the program's own open is not \
          exclusive. Only the list of its open files shows the use.",
    judged: "Open for writing by another process, on the target or on anything that shares bytes with it: bad for a \
             job that writes, and fathom refuses it even with consent. Open for reading: a warning for a job that \
             writes. For a job that reads both are remarks. None: ok, if the open files of every process could be \
             read; without root n-a.",
    remedy: "lsof DEVICE names the program; end it or detach the device from it. Monitoring that only reads (smartd) \
             may continue, but disturbs the figures a little.",
    needs: Needs::Administrator,
    kernels: "all",
    sources: &["V-2"],
    observe: Observe::Once(observe),
};

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    each_target(scene, |safety, facts, findings| {
        let kinds = [OpenForWriting, OpenForReading];
        let told = findings.iter().filter(|finding| kinds.contains(&finding.kind));
        let told: Vec<Observation> =
            told.map(|finding| tell(scene, safety, finding, "/proc".into())).collect();
        match (told.is_empty(), blind_spot(scene)) {
            (false, _) => told,
            (true, Some(unknown)) => vec![Observation::unknown(&safety.name, unknown)],
            (true, None) => vec![clear(safety, facts, "no other program has it open")],
        }
    })
}

/// The reason why we cannot see the open files of all processes. The first process belongs to root.
fn blind_spot(scene: &Scene<'_>) -> Option<Unknown> {
    scene.root.list("/proc/1/fd").err()
}
