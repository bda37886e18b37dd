//! The CPUs and memory nodes that the job's workers, or else this process, may use.

use crate::audit::{Raw, Scene};
use fathom_device::cpus::CpuSet;
use fathom_device::root::Unknown;

/// CPUs and memory nodes.
pub(super) struct Allowed {
    /// CPUs of the job if it names any, else those of this process.
    pub cpus: CpuSet,
    /// Nodes whose memory this process may use.
    pub memory: Option<CpuSet>,
    /// The lines of `/proc/self/status` that were read.
    pub raw: Option<Raw>,
}

impl Allowed {
    /// From the job, and from this process's own status, which a capture keeps.
    /// The status shows which CPUs a container or a cgroup does not allow.
    pub fn of(scene: &Scene<'_>) -> Result<Self, Unknown> {
        let status = scene.read("/proc/self/status");
        let list = |raw: &Raw, key: &str| -> Option<CpuSet> {
            let line = raw.text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
            CpuSet::from_list(line).ok()
        };
        let memory = status.as_ref().ok().and_then(|raw| list(raw, "Mems_allowed_list"));
        if let Some(cpus) = scene.job.cpus.clone() {
            return Ok(Self { cpus, memory, raw: None });
        }
        let raw = status?;
        let lists: Vec<&str> = raw.text.lines().filter(|line| line.contains("_allowed_list")).collect();
        let shown = Raw { path: raw.path.clone(), text: lists.join("\n") };
        let garbled = || Unknown::garbled(&raw.path, &shown.text);
        let cpus = list(&raw, "Cpus_allowed_list").filter(|cpus| !cpus.is_empty()).ok_or_else(garbled)?;
        Ok(Self { cpus, memory, raw: Some(shown) })
    }
}
