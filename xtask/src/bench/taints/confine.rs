//! Control groups that give the processes of a run less than the machine has: CPU time, or memory.

use super::throttle::remove;
use crate::bench::target::undo::Undo;
use std::fs;
use std::path::{Path, PathBuf};

/// Where version 2 of control groups is.
const SECOND: &str = "/sys/fs/cgroup";
/// A period of the CPU's quota, µs: the kernel's own default.
const PERIOD_US: u64 = 100_000;

/// What a group gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// This share of one CPU, per cent.
    Cpu(u64),
    /// So many MiB of memory, page cache included.
    Memory(u64),
}

impl Confinement {
    /// Makes the group; returns the file that takes its processes.
    pub fn make(self, undo: &mut Undo) -> Result<PathBuf, String> {
        let (controller, old, new) = match self {
            Confinement::Cpu(percent) => {
                let quota = PERIOD_US * percent / 100;
                let old = ("cpu.cfs_quota_us", quota.to_string());
                ("cpu", old, ("cpu.max", format!("{quota} {PERIOD_US}")))
            }
            Confinement::Memory(mib) => {
                let bytes = (mib << 20).to_string();
                ("memory", ("memory.limit_in_bytes", bytes.clone()), ("memory.max", bytes))
            }
        };
        let first = Path::new(SECOND).join(controller);
        let parent = if first.exists() { first } else { PathBuf::from(SECOND) };
        if parent == Path::new(SECOND) {
            write(&parent.join("cgroup.subtree_control"), &format!("+{controller}"))?;
        }
        let group = parent.join(format!("fathom-bench-{controller}-{}", std::process::id()));
        fs::create_dir_all(&group).map_err(|e| format!("{}: {e}", group.display()))?;
        let doomed = group.clone();
        undo.push(move || remove(&doomed));
        let (name, value) = if group.join(old.0).exists() { old } else { new };
        write(&group.join(name), &value)?;
        Ok(group.join("cgroup.procs"))
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
