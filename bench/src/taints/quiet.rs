//! What disturbs a run: other programs, and what is begun on purpose.
//!
//! Other programs that compute during a run disturb it, and a disturbed run is not clean. The search for a quiet moment does
//! not use fathom, because fathom's judgement is what is tested.

use std::collections::HashMap;
use std::fs;
use std::fs::File;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use super::ground::{Confinement, Made};
use serde::Deserialize;
use xtask::workspace::{at, read_text};

/// Largest share of one CPU for one process: fathom reports another program from 10 % on.
const PROCESS_MAX: f64 = 0.08;
/// Largest share of one CPU, in user mode, for all others: half of it is the error of ticks in two seconds.
const USER_MAX: f64 = 0.2;
/// How long a look takes before a run.
const LOOK: Duration = Duration::from_millis(400);
/// How long to wait for a quiet moment.
const PATIENCE: Duration = Duration::from_secs(300);
/// Ticks a second of /proc (USER_HZ).
const TICKS: f64 = 100.0;

/// Largest share of all CPU time that a hypervisor may give to others: more disturbs the run.
const STOLEN_MAX: f64 = 0.015;
/// Below this share fathom, whose limit is 1 %, must not report it; between the two it may.
const STOLEN_MIN: f64 = 0.005;
/// Flag of a kernel thread (PF_KTHREAD, linux/sched.h): most of them work for the job.
const KERNEL_THREAD: u64 = 0x0020_0000;

/// CPU time until a moment, in ticks.
pub struct Time {
    /// Of all processes in user mode.
    user: u64,
    /// The same for this process and for its children that have ended.
    ours: u64,
    stolen: u64,
    all: u64,
    /// Of each process, in user mode and in the kernel.
    processes: HashMap<u32, u64>,
    at: Instant,
}

/// CPU time that others took.
#[derive(Clone, Copy)]
pub struct Others {
    /// In user mode, as a share of one CPU.
    user: f64,
    /// The share of the busiest process, also in the kernel.
    busiest: f64,
    /// Stolen, as a share of all CPUs.
    stolen: f64,
}

impl Others {
    /// Whether no other program computed on this machine.
    pub fn are_quiet(self) -> bool {
        self.user <= USER_MAX && self.busiest <= PROCESS_MAX
    }

    /// Whether the hypervisor gave little time to others.
    pub fn stole_little(self) -> bool {
        self.stolen <= STOLEN_MAX
    }

    /// Whether the hypervisor gave too little time to others to be reported.
    pub fn stole_nothing(self) -> bool {
        self.stolen <= STOLEN_MIN
    }
}

impl Time {
    /// The CPU time until now.
    pub fn now() -> Result<Self, String> {
        let stat = read_text("/proc/stat")?;
        let fields = stat.lines().next().into_iter().flat_map(|line| line.split_whitespace().skip(1).take(8));
        let fields: Vec<u64> = fields.filter_map(|text| text.parse().ok()).collect();
        let [user, nice, .., stolen] = fields[..] else { return Err("/proc/stat has no times".to_owned()) };
        let own = read_text("/proc/self/stat")?;
        // Numbered as in proc_pid_stat(5), where the field after the name is 3.
        let behind = own.rsplit_once(')').map(|(_, rest)| rest.split_whitespace().collect::<Vec<_>>());
        let behind = behind.ok_or("/proc/self/stat has no name")?;
        let field = |number: usize| behind.get(number - 3).and_then(|text| text.parse::<u64>().ok());
        let ours = field(14).unwrap_or(0) + field(16).unwrap_or(0);
        let all = fields.iter().sum();
        Ok(Self { user: user + nice, ours, stolen, all, processes: processes(), at: Instant::now() })
    }

    /// What others have taken since then.
    pub fn others_since(&self) -> Result<Others, String> {
        let now = Self::now()?;
        let user = (now.user - self.user).saturating_sub(now.ours - self.ours);
        let ticks = TICKS * self.at.elapsed().as_secs_f64();
        let all = (now.all - self.all).max(1);
        let worked =
            |(process, ticks): (&u32, &u64)| Some(ticks.saturating_sub(*self.processes.get(process)?));
        let busiest = now.processes.iter().filter_map(worked).max().unwrap_or(0);
        Ok(Others {
            user: user as f64 / ticks,
            busiest: busiest as f64 / ticks,
            stolen: (now.stolen - self.stolen) as f64 / all as f64,
        })
    }
}

/// Waits until no other program computes.
pub fn wait() -> Result<(), String> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let then = Time::now()?;
        sleep(LOOK);
        let others = then.others_since()?;
        if others.are_quiet() && others.stole_little() {
            return Ok(());
        }
    }
    Err("the machine is never quiet: other programs or guests compute on it".to_owned())
}

/// CPU time of each process except this one until now. A process that started or ended since the last
/// reading is only seen in the sum of user mode.
fn processes() -> HashMap<u32, u64> {
    let numbers = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let others = numbers.filter(|number| *number != std::process::id());
    others.filter_map(|number| Some((number, worked(number)?))).collect()
}

fn worked(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let behind: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let field = |number: usize| behind.get(number - 3)?.parse::<u64>().ok();
    (field(9)? & KERNEL_THREAD == 0).then_some(field(14)? + field(15)?)
}

// What disturbs a run while it goes on.

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
        let file = file.map_err(at(path))?;
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
