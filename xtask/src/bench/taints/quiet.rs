//! Finds out whether the machine is quiet. Other programs that compute during a run disturb it, and a
//! disturbed run is not clean. This does not use fathom, because fathom's judgement is what is tested.

use std::collections::HashMap;
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

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
        let stat = read("/proc/stat")?;
        let fields = stat.lines().next().into_iter().flat_map(|line| line.split_whitespace().skip(1).take(8));
        let fields: Vec<u64> = fields.filter_map(|text| text.parse().ok()).collect();
        let [user, nice, .., stolen] = fields[..] else { return Err("/proc/stat has no times".to_owned()) };
        let own = read("/proc/self/stat")?;
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

fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))
}
