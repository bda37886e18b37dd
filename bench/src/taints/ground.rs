//! The targets of the runs: each is made for one run, and removed after it.

use serde::Deserialize;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::target;
use crate::target::Undo;
use xtask::command::need_root;
use xtask::workspace::{at, write_file};

/// Kinds of target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ground {
    /// No target.
    Memory,
    /// A loop device over a file on tmpfs.
    Loop,
    /// The same, and the file is one hole.
    SparseLoop,
    /// A loop device with at most this many reads a second.
    Slow(u64),
    /// The same, with at most this many MiB a second.
    SlowBytes(u64),
    /// A file on ext4 on a loop device.
    File,
    /// The same, with at most this many reads a second.
    SlowFile(u64),
    /// A file on ext4 that consists of one hole.
    Sparse,
    /// A file on tmpfs.
    Tmpfs,
    /// A zram device that counts its I/O.
    Zram,
}

/// A target that was made. Dropping it removes it.
#[derive(Default)]
pub struct Made {
    /// What the job reads or writes; `None` for no target.
    pub path: Option<PathBuf>,
    /// The device below it.
    pub device: Option<PathBuf>,
    /// Another file of its file system.
    pub other_file: Option<PathBuf>,
    /// What throttles it.
    pub throttle: Option<Throttle>,
    /// The files that take the processes of groups which the run is in.
    pub groups: Vec<PathBuf>,
    undo: Undo,
}

const BYTES: u64 = 128 << 20;
const OTHER_BYTES: u64 = 16 << 20;
const MIB: u64 = 1 << 20;

impl Ground {
    /// Taints of every run on it.
    pub fn taints(self) -> &'static [&'static str] {
        match self {
            Ground::Memory => &["no-target"],
            Ground::Zram | Ground::Tmpfs => &["memory-backed"],
            // Its file is on tmpfs.
            _ => &["loop-device", "memory-backed"],
        }
    }

    /// Makes it.
    pub fn make(self) -> Result<Made, String> {
        let mut made = Made::default();
        match self {
            Ground::Memory => {}
            Ground::Tmpfs => made.path = Some(target::on_tmpfs(BYTES, &mut made.undo)?),
            Ground::Zram => {
                let device = zram(&mut made.undo)?;
                made.on_device(device);
            }
            Ground::Loop => made.on_loop()?,
            Ground::SparseLoop => {
                let device = target::attach_hole(BYTES, &mut made.undo)?;
                made.on_device(device);
            }
            Ground::Slow(iops) => made.slow(iops, 0)?,
            Ground::SlowBytes(mib) => made.slow(0, mib * MIB)?,
            Ground::File => made.on_ext4()?,
            Ground::SlowFile(iops) => {
                made.on_ext4()?;
                made.throttle(iops, 0)?;
            }
            Ground::Sparse => made.on_hole()?,
        }
        Ok(made)
    }
}

impl Made {
    fn on_device(&mut self, device: PathBuf) {
        self.path = Some(device.clone());
        self.device = Some(device);
    }

    fn on_loop(&mut self) -> Result<(), String> {
        let device = target::attach(BYTES, &mut self.undo)?;
        self.on_device(device);
        Ok(())
    }

    fn slow(&mut self, iops: u64, bytes: u64) -> Result<(), String> {
        self.on_loop()?;
        self.throttle(iops, bytes)
    }

    fn throttle(&mut self, iops: u64, bytes: u64) -> Result<(), String> {
        let device = self.device.as_ref().ok_or("no device to hold back")?;
        let throttle = Throttle::make(device, iops, bytes, &mut self.undo)?;
        self.groups.push(throttle.processes());
        self.throttle = Some(throttle);
        Ok(())
    }

    /// The processes of the run get no more than this.
    pub fn confine(&mut self, confinement: Confinement) -> Result<(), String> {
        self.groups.push(confinement.make(&mut self.undo)?);
        Ok(())
    }

    fn on_ext4(&mut self) -> Result<(), String> {
        let device = target::attach(BYTES / 4 * 6, &mut self.undo)?;
        let path = target::file_on_ext4(&device, BYTES, &mut self.undo)?;
        let other = path.with_file_name("other.dat");
        target::fill(&other, OTHER_BYTES)?;
        (self.path, self.device, self.other_file) = (Some(path), Some(device), Some(other));
        Ok(())
    }

    fn on_hole(&mut self) -> Result<(), String> {
        self.on_ext4()?;
        let hole = self.path.as_ref().ok_or("no file")?.with_file_name("hole.dat");
        let file = fs::File::create(&hole).and_then(|file| file.set_len(BYTES));
        file.map_err(at(&hole))?;
        self.path = Some(hole);
        Ok(())
    }
}

/// The file through which the kernel makes another zram device.
const ADD: &str = "/sys/class/zram-control/hot_add";
const REMOVE: &str = "/sys/class/zram-control/hot_remove";
const PATIENCE: Duration = Duration::from_secs(10);

/// Makes a zram device full of random bytes.
fn zram(undo: &mut Undo) -> Result<PathBuf, String> {
    need_root("making a zram device")?;
    let number = fs::read_to_string(ADD).map_err(|e| format!("{ADD}: {e} (try `modprobe zram`)"))?;
    let number = number.trim().to_owned();
    let doomed = number.clone();
    undo.push(move || removed(&doomed));
    let queue = PathBuf::from(format!("/sys/block/zram{number}"));
    write_file(queue.join("disksize"), BYTES.to_string())?;
    write_file(queue.join("queue/iostats"), "1")?;
    let device = PathBuf::from(format!("/dev/zram{number}"));
    target::fill(&device, BYTES)?;
    Ok(device)
}

/// The kernel releases a ring's files a moment after its process ended.
fn removed(number: &str) -> Result<(), String> {
    let begun = Instant::now();
    loop {
        match write_file(REMOVE, number) {
            Err(_) if begun.elapsed() < PATIENCE => sleep(Duration::from_millis(100)),
            done => return done,
        }
    }
}

// A slow disk: a control group whose I/O to it the kernel throttles.
//
// Also groups that give the processes of a run less than the machine has: CPU time, or memory.
//
// The devices that can be made on every machine are in memory, and answer without a wait.

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
            write_file(Path::new(SECOND).join("cgroup.subtree_control"), "+io")?;
        }
        let group = Path::new(parent).join(format!("fathom-bench-{}", std::process::id()));
        fs::create_dir_all(&group).map_err(at(&group))?;
        let doomed = group.clone();
        undo.push(move || remove(&doomed));
        let metadata = device.metadata().map_err(at(device))?;
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
            true => write_file(&old, format!("{} {limit}", self.number)),
            false => write_file(self.group.join("io.max"), format!("{} {second}={limit}", self.number)),
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
        let _ = write_file(group.with_file_name("cgroup.procs"), process);
    }
    fs::remove_dir(group).map_err(failed)
}

/// The kernel's number of a device as user space has it (makedev(3)): 12 bits of major, 20 of minor.
fn number(device: u64) -> String {
    let major = (device >> 8) & 0xfff;
    let minor = (device & 0xff) | ((device >> 12) & 0xfff_ff00);
    format!("{major}:{minor}")
}

/// A period of the CPU's quota, µs: the kernel's own default.
const PERIOD_US: u64 = 100_000;

/// What a group gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
            write_file(parent.join("cgroup.subtree_control"), format!("+{controller}"))?;
        }
        let group = parent.join(format!("fathom-bench-{controller}-{}", std::process::id()));
        fs::create_dir_all(&group).map_err(at(&group))?;
        let doomed = group.clone();
        undo.push(move || remove(&doomed));
        let (name, value) = if group.join(old.0).exists() { old } else { new };
        write_file(group.join(name), &value)?;
        Ok(group.join("cgroup.procs"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_devices() {
        assert_eq!(number(0x0701), "7:1");
        assert_eq!(number((253 << 8) | 0x10 | (1 << 20)), "253:272");
    }
}
