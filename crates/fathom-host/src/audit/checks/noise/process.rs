//! Processes and kernel threads, and their CPU time between the two readings
//! (proc_pid_stat(5)).

use std::path::Path;

use crate::audit::{CpuTimes, Raw, Scene};
use fathom_device::root::Unknown;

/// The file with the figures of each process.
pub(super) const PROCESSES: &str = "/proc/#/stat";

/// Flag of a kernel thread (`PF_KTHREAD`, linux/sched.h).
const PF_KTHREAD: u64 = 0x0020_0000;

/// A process at the second reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Process {
    pub pid: u32,
    /// Its name, of which the kernel keeps 15 bytes.
    pub name: String,
    pub is_kernel: bool,
    /// User and system time since its start, in ticks.
    pub ticks: u64,
    /// CPU it ran on last.
    pub cpu: Option<u32>,
    /// When it started, in ticks since boot.
    start: Option<u64>,
}

impl Process {
    fn parse(text: &str) -> Option<Self> {
        // The name may hold anything, brackets and spaces too.
        let (head, rest) = text.rsplit_once(')')?;
        let (pid, name) = head.split_once('(')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        // Fields are numbered as in the manual, where the state is field 3.
        let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
        Some(Self {
            pid: pid.trim().parse().ok()?,
            name: name.to_owned(),
            is_kernel: field(9)? & PF_KTHREAD != 0,
            ticks: field(14)? + field(15)?,
            cpu: field(39).and_then(|cpu| u32::try_from(cpu).ok()),
            start: field(22),
        })
    }
}

/// A process that exists now, with its CPU time since the first reading.
pub(super) struct Worked {
    pub process: Process,
    pub ticks: u64,
    pub raw: Raw,
}

/// Every process with its CPU time since the first reading. A process that did
/// not exist then has used all its ticks since. Unknown where no process can be
/// read, or none was read before.
pub(super) fn worked(scene: &Scene<'_>) -> Result<Vec<Worked>, Unknown> {
    let mut unknown = Unknown::missing("/proc/1/stat");
    let mut all = Vec::new();
    let mut was_read_before = false;
    for path in scene.glob(PROCESSES) {
        match read(scene, &path) {
            Ok((raw, process)) => {
                let before = scene.before(&path).ok().and_then(Process::parse);
                was_read_before |= before.is_some();
                // Another process may have the same number now.
                let before = before.filter(|before| before.start == process.start);
                let then = before.map_or(0, |before| before.ticks);
                all.push(Worked { ticks: process.ticks.saturating_sub(then), process, raw });
            }
            // It ended after the list was made.
            Err(gone) if gone.why == fathom_device::root::Why::Missing => {}
            Err(other) => unknown = other,
        }
    }
    match (all.is_empty(), was_read_before) {
        (true, _) => Err(unknown),
        (false, false) => Err(Unknown::new(
            "/proc/1/stat",
            "was read only once; two readings are needed to see which processes worked",
        )),
        (false, true) => Ok(all),
    }
}

/// Share of one CPU. Both numbers are in ticks, so the length of a tick does not matter.
pub(super) fn share(one: &Worked, times: &CpuTimes) -> f64 {
    let ticks_of_one = times.total as f64 / times.cpus.max(1) as f64;
    one.ticks as f64 / ticks_of_one
}

fn read(scene: &Scene<'_>, path: &Path) -> Result<(Raw, Process), Unknown> {
    let raw = scene.read(path)?;
    let process = Process::parse(&raw.text).ok_or_else(|| Unknown::garbled(path, &raw.text))?;
    Ok((raw, process))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_brackets_and_spaces() {
        let text = "42 (a) (b) S 2 0 0 0 -1 2129984 0 0 0 0 7 5 0 0 20 0 1 0 900 0 0";
        let process = Process::parse(text).unwrap();
        assert_eq!((process.pid, process.name.as_str(), process.ticks), (42, "a) (b", 12));
        assert!(process.is_kernel);
        assert_eq!((process.start, process.cpu), (Some(900), None));
        assert_eq!(Process::parse("42 systemd S"), None);
    }
}
