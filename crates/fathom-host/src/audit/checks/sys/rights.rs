//! What this process may do, from `/proc/self/status`.

use crate::audit::Scene;
use fathom_device::sys::has_capability;

/// Numbers of capabilities (linux/capability.h).
pub(super) const CAP_IPC_LOCK: u32 = 14;
pub(super) const CAP_SYS_ADMIN: u32 = 21;

/// Whether the process has the capability; `None` where that is not known.
pub(super) fn has(scene: &Scene<'_>, capability: u32) -> Option<bool> {
    has_capability(&scene.read("/proc/self/status").ok()?.text, capability)
}

/// Whether the process is in the group, as its main group or as another one.
pub(super) fn is_in_group(scene: &Scene<'_>, group: &str) -> Option<bool> {
    let own = line(scene, "Gid:")?;
    let further = line(scene, "Groups:").unwrap_or_default();
    Some(own.split_whitespace().chain(further.split_whitespace()).any(|gid| gid == group))
}

/// Whether the process has a filter of system calls (`Seccomp: 2`), which
/// container runtimes install.
pub(super) fn is_filtered(scene: &Scene<'_>) -> Option<bool> {
    Some(line(scene, "Seccomp:")?.trim() == "2")
}

fn line(scene: &Scene<'_>, key: &str) -> Option<String> {
    let status = scene.read("/proc/self/status").ok()?;
    status.text.lines().find_map(|line| line.strip_prefix(key)).map(str::to_owned)
}
