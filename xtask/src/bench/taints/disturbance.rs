//! What disturbs a run while it goes on.

use super::ground::{Confinement, Made};
use serde::Deserialize;
use std::fs::File;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::Duration;

/// Kinds of disturbance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Disturbance {
    /// No disturbance: a clean run.
    #[default]
    Quiet,
    /// No program disturbs: the target or the job itself causes the taints.
    Built,
    /// Another thread writes 4 KiB to the device, not through the page cache, some thousand times a second.
    Writer,
    /// Another thread reads the device in the same way.
    Reader,
    /// Another thread reads so many per cent of 400 times 64 KiB a second from the device.
    Share(u64),
    /// The processes of the run have less CPU time or memory than the machine.
    Confined(Confinement),
    /// Another thread writes to another file of the file system.
    FileWriter,
    /// A program computes on CPU 0, on which the job runs.
    Hog,
    /// The same, and the job has the scheduling class for idle time.
    IdleClass,
    /// All threads of the run are stopped for a while.
    Stopped,
    /// The disk gets slower to a quarter in the middle of the run.
    Slower,
}

/// From the start of the program to the middle of a run of five seconds.
const MIDDLE: Duration = Duration::from_millis(2_500);
/// Longer than two windows of a second.
const STOP: Duration = Duration::from_millis(2_500);
/// Pause between two I/Os of the disturbing thread.
const PAUSE: Duration = Duration::from_micros(200);
const BLOCK: usize = 4096;
/// O_DIRECT of x86-64 (asm-generic/fcntl.h); AArch64 has another.
const O_DIRECT: i32 = if cfg!(target_arch = "aarch64") { 0o200_000 } else { 0o40_000 };
/// The bytes that the disturbing thread uses, at the start of the device or file. Nobody reads them back.
const SPAN_BYTES: u64 = 16 << 20;
/// The I/Os of which a share is read, and how many of them a job does in a second.
const LARGE_BLOCK: usize = 64 << 10;
const LARGE_A_SECOND: u64 = 400;

/// A disturbance that goes on until it is dropped.
#[derive(Default)]
pub struct Going {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    hog: Option<Child>,
}

impl Disturbance {
    /// Words before the command of the run.
    pub fn before(self) -> &'static [&'static str] {
        match self {
            Disturbance::IdleClass => &["chrt", "--idle", "0"],
            _ => &[],
        }
    }

    /// Starts the disturbance while the process of the run goes on.
    pub fn start(self, made: &Made, run: u32) -> Result<Going, String> {
        let device = || made.device.clone().ok_or("no device to disturb");
        let mut going = Going::default();
        match self {
            Disturbance::Quiet | Disturbance::Built | Disturbance::Confined(_) => {}
            Disturbance::Writer => going.transfer(&device()?, true, BLOCK, PAUSE)?,
            Disturbance::Reader => going.transfer(&device()?, false, BLOCK, PAUSE)?,
            Disturbance::Share(percent) => {
                let each = Duration::from_millis(1_000 * 100 / (LARGE_A_SECOND * percent));
                going.transfer(&device()?, false, LARGE_BLOCK, each)?;
            }
            Disturbance::FileWriter => {
                going.transfer(made.other_file.as_ref().ok_or("no other file")?, true, BLOCK, PAUSE)?;
            }
            Disturbance::Hog | Disturbance::IdleClass => going.hog = Some(hog()?),
            Disturbance::Stopped => going.later(move || {
                signal("-STOP", run);
                sleep(STOP);
                signal("-CONT", run);
            }),
            Disturbance::Slower => {
                let throttle = made.throttle.clone().ok_or("nothing to make slower")?;
                going.later(move || {
                    if let Err(error) = throttle.limit(throttle.iops / 4) {
                        eprintln!("{error}");
                    }
                });
            }
        }
        Ok(going)
    }
}

impl Going {
    fn transfer(&mut self, path: &Path, writes: bool, length: usize, pause: Duration) -> Result<(), String> {
        let file = File::options().read(true).write(writes).custom_flags(O_DIRECT).open(path);
        let file = file.map_err(|e| format!("{}: {e}", path.display()))?;
        let is_over = Arc::clone(&self.is_over);
        self.thread = Some(spawn(move || {
            let mut memory = vec![0x5a; BLOCK + length];
            let at = memory.as_ptr().align_offset(BLOCK);
            let block = &mut memory[at..at + length];
            for n in 0_u64.. {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                let offset = n.wrapping_mul(7919) % (SPAN_BYTES / length as u64) * length as u64;
                let moved =
                    if writes { file.write_all_at(block, offset) } else { file.read_exact_at(block, offset) };
                if let Err(error) = moved {
                    eprintln!("somebody else's I/O: {error}");
                    return;
                }
                sleep(pause);
            }
        }));
        Ok(())
    }

    /// Acts in the middle of the run.
    fn later(&mut self, act: impl FnOnce() + Send + 'static) {
        self.thread = Some(spawn(move || {
            sleep(MIDDLE);
            act();
        }));
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        if let Some(mut hog) = self.hog.take() {
            let _ = hog.kill();
            let _ = hog.wait();
        }
    }
}

fn hog() -> Result<Child, String> {
    let words = ["--cpu-list", "0", "sh", "-c", "while :; do :; done"];
    let hog = Command::new("taskset").args(words).stdin(Stdio::null()).spawn();
    hog.map_err(|e| format!("taskset: {e}"))
}

fn signal(name: &str, process: u32) {
    let _ = Command::new("kill").args([name, &process.to_string()]).status();
}
