//! `safe.root_disk`: is the system on this disk?

use std::path::Path;

use super::view::{clear, each_target, verdicts};
use crate::audit::{Check, Needs, Observation, Observe, Safety, Scene};
use fathom_guard::{Facts, Finding, FindingKind, Weight};

pub(super) const CHECK: Check = Check {
    id: "safe.root_disk",
    title: "Disk of the system",
    reads: "/proc/self/mountinfo, stat(2) of /, /boot, /usr and /var, /sys/power/resume, pstore_blk",
    why: "A wrong letter in a device's name has destroyed many systems. fathom finds the disk of the root file system \
          by its number, even where a container hides it; hibernation images and crash logs are on disks that need not \
          be mounted. A system disk is also bad to measure: logs, swap and updates share it, and its flash is not in a \
          known state.",
    judged: "For a job that writes to the device it is bad, and fathom refuses it even with consent; for a job that \
             reads, it is a remark. Otherwise ok.",
    remedy: "Choose another drive. If there is only this one: measure in a file on it (fathom quick DIRECTORY), and \
             report that with the figure.",
    needs: Needs::Administrator,
    kernels: "all",
    sources: &["V-2", "T-54"],
    observe: Observe::Once(observe),
};

/// The same directories as the guard's (`reserved.rs`), for a capture, whose
/// files do not show their device.
const SYSTEM_DIRS: [&str; 5] = ["/", "/boot", "/boot/efi", "/usr", "/var"];

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    each_target(scene, |safety, facts, findings| {
        let told = purposes(facts, findings);
        if told.is_empty() {
            return vec![clear(safety, facts, "the system is not on it")];
        }
        told.iter().map(|what| tell(scene, safety, what)).collect()
    })
}

fn purposes(facts: &Facts, findings: &[Finding]) -> Vec<String> {
    let reserved = findings.iter().filter(|finding| finding.kind == FindingKind::SystemDevice);
    let is_system = |point: &Path| SYSTEM_DIRS.iter().any(|dir| point == Path::new(dir));
    let mounts = facts.mounts.iter().filter_map(|(number, mount)| {
        let node = facts.graph.node(*number).filter(|_| is_system(&mount.point))?;
        Some(format!("{} holds the system directory {}", node.name, mount.point.display()))
    });
    let mut told: Vec<String> = reserved.map(ToString::to_string).chain(mounts).collect();
    told.sort();
    told.dedup();
    told
}

fn tell(scene: &Scene<'_>, safety: &Safety, what: &str) -> Observation {
    let seen = Observation::on(&safety.name).with("/proc/self/mountinfo", what);
    seen.judge(
        verdicts(scene, Weight::Absolute),
        format!("{what}: fathom will not write to it, even with consent"),
    )
}
