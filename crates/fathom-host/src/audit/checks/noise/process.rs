//! What processes and kernel threads do.

use crate::audit::CpuTimes;
use crate::audit::checks::known::ThreadKind;
use crate::audit::checks::prelude::*;
use fathom_text::quantity::percent_with;

/// Flag of a kernel thread (`PF_KTHREAD`, linux/sched.h).
const PF_KTHREAD: u64 = 0x0020_0000;

/// A process at the second reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::audit::checks) struct Process {
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
    /// From the text of its file.
    pub fn parse(text: &str) -> Option<Self> {
        // The name may hold anything, brackets and spaces too.
        let (head, rest) = text.rsplit_once(')')?;
        let (pid, name) = head.split_once('(')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
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
struct Worked<'a> {
    pub process: Process,
    pub ticks: u64,
    pub raw: &'a Raw,
}

/// Every process with its CPU time since the first reading. A process that did
/// not exist then has used all its ticks since. Unknown where no process can be
/// read, or none was read before.
fn worked<'a>(scene: &'a Scene<'_>) -> Result<Vec<Worked<'a>>, Unknown> {
    let once = "was read only once; two readings are needed to see which processes worked";
    let mut unknown = Unknown::missing("/proc/1/stat");
    let mut all = Vec::new();
    let mut was_read_before = false;
    // An audit before a run need not read them all.
    let is_process = |path: &PathBuf| scene.read(path).is_ok_and(|raw| Process::parse(&raw.text).is_some());
    if scene.earlier.is_none() && scene.glob(PROCESSES).iter().any(is_process) {
        return Err(Unknown::new("/proc/1/stat", once));
    }
    for stat in scene.process_stats() {
        match stat.as_ref().map_err(Clone::clone).and_then(parsed) {
            Ok((raw, process)) => {
                let before = scene.before(&raw.path).ok().and_then(Process::parse);
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
        (false, false) => Err(Unknown::new("/proc/1/stat", once)),
        (false, true) => Ok(all),
    }
}

/// Share of one CPU. Both numbers are in ticks, so the length of a tick does not matter.
fn share(one: &Worked<'_>, times: &CpuTimes) -> f64 {
    let ticks_of_one = times.total as f64 / times.cpus.max(1) as f64;
    one.ticks as f64 / ticks_of_one
}

fn parsed(raw: &Raw) -> Result<(&Raw, Process), Unknown> {
    Ok((raw, Process::parse(&raw.text).ok_or_else(|| raw.garbled())?))
}

/// A tenth of a CPU: five ticks of the half second that an audit waits.
const SHARE_MIN: f64 = 0.10;

/// At most this many programs are reported, the busiest first.
const TOLD_MAX: usize = 5;

/// `noise.load`: do other programs keep the processors busy?
pub(super) fn load(scene: &Scene<'_>) -> ObservedAll {
    let (times, raw) = scene.cpu_growth()?;
    let mut busy = worked(scene)?;
    busy.retain(|one| !one.process.is_kernel && !is_us(scene, &one.process));
    busy.retain(|one| share(one, &times) > SHARE_MIN);
    busy.sort_by_key(|one| std::cmp::Reverse(one.ticks));
    if busy.is_empty() {
        let idle = times.idle as f64 * 100.0 / times.total as f64;
        let mut observation =
            Observation::on("host").with(&raw.path, raw.text.lines().next().unwrap_or_default());
        if let Ok(load) = scene.read("/proc/loadavg") {
            observation = observation.show(&load);
        }
        return Ok(vec![observation.ok(format!(
            "no other program is busy; the processors were {} idle",
            percent_with(idle / 100.0, 0)
        ))]);
    }
    Ok(busy.iter().take(TOLD_MAX).map(|one| tell(scene, one, &times)).collect())
}

/// Whether the process is fathom itself. In a capture it is recognised by its name.
fn is_us(scene: &Scene<'_>, process: &Process) -> bool {
    if scene.root.is_live() { process.pid == std::process::id() } else { process.name == "fathom" }
}

fn tell(scene: &Scene<'_>, one: &Worked<'_>, times: &CpuTimes) -> Observation {
    let Process { pid, name, cpu, .. } = &one.process;
    let at = cpu.map(|cpu| format!(", last on CPU {cpu}")).unwrap_or_default();
    // The one that looks is not in the list.
    let name = if name == "fathom" { "another fathom" } else { name.as_str() };
    let says = format!("{name} used {} of a CPU{at}", percent_with(share(one, times), 0));
    let observation = Observation::on(format!("pid {pid}")).show(one.raw);
    let shares = scene.job.cpus.as_ref().is_none_or(|cpus| cpu.is_none_or(|cpu| cpus.contains(cpu)));
    match shares {
        true => observation.warn_for(&[Latency, Repeatability], says),
        false => observation.info(format!("{says}, which is not one of the job's")),
    }
}

/// Share of one CPU. A thread that takes this share of a worker's CPU lowers
/// the worker's figure by this share at most. `sys.steal` has the same limit,
/// and runs of one job differ by more. A tick is 10 ms: 2 % of the half second
/// that an audit waits, but very little of a run of a minute.
const SHARE_MAX: f64 = 0.01;

/// `noise.kthreads`: does the kernel do work of its own during the measurement?
pub(super) fn kthreads(scene: &Scene<'_>) -> ObservedAll {
    let all = worked(scene)?;
    // If the time between the readings is not known, every tick may be a large share of it.
    let times = scene.cpu_growth().ok().map(|(times, _)| times);
    let observations: Vec<Observation> =
        all.iter().filter_map(|one| tell_threads(scene, one, times.as_ref())).collect();
    if !observations.is_empty() {
        return Ok(observations);
    }
    let says = format!("none of {} processes and threads does such work", all.len());
    Ok(vec![Observation::on("kernel").with("/proc", "").ok(says)])
}

/// The names are those of kernel threads; a program of the same name does not count.
fn tell_threads(scene: &Scene<'_>, one: &Worked<'_>, times: Option<&CpuTimes>) -> Option<Observation> {
    let name = &one.process.name;
    let mut threads = KNOWN.threads.iter();
    let (kind, _, _, what) = threads
        .find(|(_, begin, end, _)| name.starts_with(begin) && name.ends_with(end))
        .filter(|_| one.process.is_kernel)?;
    if *kind != ThreadKind::Alone && one.ticks == 0 {
        return None;
    }
    let observation = Observation::on(name).show(one.raw);
    let on_file_system = scene.targets.iter().any(|target| target.mount.is_some());
    let share = times.map(|times| share(one, times));
    if *kind == ThreadKind::Journal && on_file_system {
        return Some(observation.info(format!("{what} ({} ticks), caused by the job on files", one.ticks)));
    }
    // Before a run, existing work is a warning. After the run, the CPU time that it took is known.
    let is_measured = *kind != ThreadKind::Alone || scene.job.has_run;
    Some(match share.filter(|share| is_measured && *share <= SHARE_MAX) {
        Some(share) => {
            observation.info(format!("{what} ({} ticks, {} of a CPU)", one.ticks, percent_with(share, 2)))
        }
        None => observation.warn(format!("{what} ({} ticks)", one.ticks)),
    })
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
