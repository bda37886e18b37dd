//! A slow disk: a control group whose I/O to it the kernel throttles.
//!
//! Also groups that give the processes of a run less than the machine has: CPU time, or memory.
//!
//! The devices that can be made on every machine are in memory, and answer without a wait.

use crate::bench::target::undo::Undo;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The directories through which version 1 and version 2 of control groups throttle I/O.
const FIRST: &str = "/sys/fs/cgroup/blkio";
const SECOND: &str = "/sys/fs/cgroup";

/// A group whose I/O to one disk is throttled.
#[derive(Clone, Debug)]
pub struct Throttle {
    group: PathBuf,
    /// `MAJOR:MINOR` of the disk.
    number: String,
    /// At most this many I/Os a second.
    pub iops: u64,
}

impl Throttle {
    /// Makes a group that may do this many I/Os and read this many bytes a second; 0 means no limit.
    pub fn make(device: &Path, iops: u64, bytes: u64, undo: &mut Undo) -> Result<Self, String> {
        let parent = if Path::new(FIRST).exists() { FIRST } else { SECOND };
        if parent == SECOND {
            write(&Path::new(SECOND).join("cgroup.subtree_control"), "+io")?;
        }
        let group = Path::new(parent).join(format!("fathom-bench-{}", std::process::id()));
        fs::create_dir_all(&group).map_err(|e| format!("{}: {e}", group.display()))?;
        let doomed = group.clone();
        undo.push(move || remove(&doomed));
        let metadata = device.metadata().map_err(|e| format!("{}: {e}", device.display()))?;
        let throttle = Self { group, number: number(metadata.rdev()), iops };
        if iops > 0 {
            throttle.limit(iops)?;
        }
        if bytes > 0 {
            throttle.set("read_bps_device", "rbps", bytes)?;
        }
        Ok(throttle)
    }

    /// Changes the number of I/Os a second.
    pub fn limit(&self, iops: u64) -> Result<(), String> {
        self.set("read_iops_device", "riops", iops)
    }

    fn set(&self, first: &str, second: &str, limit: u64) -> Result<(), String> {
        let old = self.group.join(format!("blkio.throttle.{first}"));
        match old.exists() {
            true => write(&old, &format!("{} {limit}", self.number)),
            false => write(&self.group.join("io.max"), &format!("{} {second}={limit}", self.number)),
        }
    }

    /// The file that takes the processes of the group.
    pub fn processes(&self) -> PathBuf {
        self.group.join("cgroup.procs")
    }
}

/// Removes the group; processes that are still in it go back to the parent group.
pub fn remove(group: &Path) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", group.display());
    let processes = fs::read_to_string(group.join("cgroup.procs")).map_err(failed)?;
    for process in processes.lines() {
        // It is not an error if the process has ended meanwhile.
        let _ = write(&group.with_file_name("cgroup.procs"), process);
    }
    fs::remove_dir(group).map_err(failed)
}

/// The kernel's number of a device as user space has it (makedev(3)): 12 bits of major, 20 of minor.
fn number(device: u64) -> String {
    let major = (device >> 8) & 0xfff;
    let minor = (device & 0xff) | ((device >> 12) & 0xfff_ff00);
    format!("{major}:{minor}")
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

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

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_of_devices() {
        assert_eq!(number(0x0701), "7:1");
        assert_eq!(number((253 << 8) | 0x10 | (1 << 20)), "253:272");
    }
}
