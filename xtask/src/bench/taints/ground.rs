//! The targets of the runs: each is made for one run, and removed after it.

use super::throttle::Confinement;
use super::throttle::Throttle;
use crate::bench::target::undo::Undo;
use crate::bench::target::{device, file};
use crate::command::need_root;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Kinds of target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
            Ground::Tmpfs => made.path = Some(file::on_tmpfs(BYTES, &mut made.undo)?),
            Ground::Zram => {
                let device = zram(&mut made.undo)?;
                made.on_device(device);
            }
            Ground::Loop => made.on_loop()?,
            Ground::SparseLoop => {
                let device = device::attach_hole(BYTES, &mut made.undo)?;
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
        let device = device::attach(BYTES, &mut self.undo)?;
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
        let device = device::attach(BYTES / 4 * 6, &mut self.undo)?;
        let path = device::file_on_ext4(&device, BYTES, &mut self.undo)?;
        let other = path.with_file_name("other.dat");
        file::fill(&other, OTHER_BYTES)?;
        (self.path, self.device, self.other_file) = (Some(path), Some(device), Some(other));
        Ok(())
    }

    fn on_hole(&mut self) -> Result<(), String> {
        self.on_ext4()?;
        let hole = self.path.as_ref().ok_or("no file")?.with_file_name("hole.dat");
        let file = fs::File::create(&hole).and_then(|file| file.set_len(BYTES));
        file.map_err(|e| format!("{}: {e}", hole.display()))?;
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
    write(&queue.join("disksize"), &BYTES.to_string())?;
    write(&queue.join("queue/iostats"), "1")?;
    let device = PathBuf::from(format!("/dev/zram{number}"));
    file::fill(&device, BYTES)?;
    Ok(device)
}

/// The kernel releases a ring's files a moment after its process ended.
fn removed(number: &str) -> Result<(), String> {
    let begun = Instant::now();
    loop {
        match write(REMOVE.as_ref(), number) {
            Err(_) if begun.elapsed() < PATIENCE => sleep(Duration::from_millis(100)),
            done => return done,
        }
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
