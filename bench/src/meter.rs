//! What the kernel counts for a run: CPU time, time that the hypervisor took, I/Os of the disk.
//!
//! CPU time is that of our children, from /proc/self/stat, where it is exact to its unit of 10 ms:
//! 0.3 % of a run of three seconds. It includes every thread of the process, also the workers that the
//! kernel made for its io_uring, but not kernel threads that serve a device; those are in the busy
//! time of the machine.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use xtask::workspace::read_text;

/// The unit of times in /proc: 1/100 s on every architecture that Linux has (USER_HZ).
const TICK_NS: f64 = 10_000_000.0;

/// Counters at one moment.
pub struct Meter {
    children: u64,
    machine: Processor,
    pinned: Processor,
    disk_reads: Option<u64>,
}

/// What was counted between two moments.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// CPU time of the children that ended, ns.
    pub cpu_ns: f64,
    /// CPU time of all processors together, ns.
    pub machine_ns: f64,
    /// Share of the pinned processor's time that the hypervisor gave to others.
    pub steal: f64,
    /// Reads that the disk completed.
    pub disk_reads: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Processor {
    busy: u64,
    steal: u64,
    total: u64,
}

impl Meter {
    /// Reads them now.
    pub fn read(processor: u32, disk: Option<&str>) -> Result<Self, String> {
        let stat = read_text("/proc/stat")?;
        let line = |name: &str| {
            Processor::parse(&stat, name).ok_or_else(|| format!("/proc/stat has no line for {name}"))
        };
        let own = read_text("/proc/self/stat")?;
        Ok(Self {
            children: children_ticks(&own).ok_or("/proc/self/stat does not parse")?,
            machine: line("cpu")?,
            pinned: line(&format!("cpu{processor}"))?,
            disk_reads: disk.map(disk_reads).transpose()?,
        })
    }

    /// What was used since an earlier reading.
    pub fn since(&self, earlier: &Meter) -> Used {
        let total = self.pinned.total.saturating_sub(earlier.pinned.total);
        let steal = self.pinned.steal.saturating_sub(earlier.pinned.steal);
        let ns = |now: u64, then: u64| now.saturating_sub(then) as f64 * TICK_NS;
        Used {
            cpu_ns: ns(self.children, earlier.children),
            machine_ns: ns(self.machine.busy, earlier.machine.busy),
            steal: if total == 0 { 0.0 } else { steal as f64 / total as f64 },
            disk_reads: self.disk_reads.zip(earlier.disk_reads).map(|(now, then)| now.saturating_sub(then)),
        }
    }
}

impl Processor {
    /// The line of one processor, or of all (`cpu`): user, nice, system, idle, iowait, irq, softirq,
    /// steal; the guests' time behind them is part of user and nice (proc_stat(5)).
    fn parse(stat: &str, name: &str) -> Option<Self> {
        let line = stat.lines().find(|line| line.split_whitespace().next() == Some(name))?;
        let numbers: Vec<u64> = line.split_whitespace().skip(1).map_while(|n| n.parse().ok()).collect();
        let [user, nice, system, idle, iowait, irq, softirq, steal] = *numbers.first_chunk::<8>()?;
        let busy = user + nice + system + irq + softirq;
        Some(Self { busy, steal, total: busy + idle + iowait + steal })
    }
}

/// Fields 16 and 17 of /proc/self/stat, user and system time of children that were waited for. The
/// second field is the program's name, which may hold spaces.
fn children_ticks(stat: &str) -> Option<u64> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    Some(field(16)? + field(17)?)
}

/// The first number of /sys/block/DISK/stat: reads completed.
fn disk_reads(disk: &str) -> Result<u64, String> {
    let path = format!("/sys/block/{disk}/stat");
    let first = read_text(&path)?.split_whitespace().next().and_then(|n| n.parse().ok());
    first.ok_or_else(|| format!("{path} does not begin with a number"))
}

/// The last processor that we may use: the first takes most interrupts.
pub fn last_processor() -> Result<u32, String> {
    let status = read_text("/proc/self/status")?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let last = list.and_then(|list| list.trim().rsplit(['-', ',']).next()?.parse().ok());
    last.ok_or_else(|| "/proc/self/status names no processor".to_owned())
}

// The peak of a child's resident memory.

/// Time between two readings of the peak, which only rises.
const LOOK: Duration = Duration::from_millis(2);

/// Watches a child until it ends; returns how it ended, and its peak in KiB.
pub fn watch(child: &mut Child) -> std::io::Result<(ExitStatus, u64)> {
    let status = format!("/proc/{}/status", child.id());
    let mut highest = 0;
    loop {
        // Gone or a zombie: the last reading is kept.
        let text = fs::read_to_string(&status).unwrap_or_default();
        highest = highest.max(peak_kib(&text).unwrap_or(0));
        if let Some(ended) = child.try_wait()? {
            return Ok((ended, highest));
        }
        std::thread::sleep(LOOK);
    }
}

fn peak_kib(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

// What one run of a program costs: time, CPU time, memory and disk space.

/// A shorter time is too close to the unit of CPU time, 10 ms, to be compared.
const SECONDS_MIN: f64 = 0.05;

/// A cost grows faster than the work if it grows by more than the work times this:
/// single runs differ by as much.
const FASTER: f64 = 1.2;

/// What a run costs, from its start to its end.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Time that passed.
    pub seconds: f64,
    /// CPU time of all its threads.
    pub cpu_seconds: f64,
    /// The peak of its resident memory.
    pub mib: f64,
    /// The size of what it left in its directory.
    pub saved_kib: f64,
}

/// Runs a command that must succeed, in a directory that is empty before.
pub fn measure(mut run: Command, directory: &Path) -> Result<Cost, String> {
    let processor = last_processor()?;
    let (before, began) = (Meter::read(processor, None)?, Instant::now());
    let mut child =
        run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(|e| format!("{run:?}: {e}"))?;
    let (ended, most_kib) = watch(&mut child).map_err(|e| format!("{run:?}: {e}"))?;
    let seconds = began.elapsed().as_secs_f64();
    if !ended.success() {
        return Err(format!("{run:?}: {ended}"));
    }
    Ok(Cost {
        seconds,
        cpu_seconds: Meter::read(processor, None)?.since(&before).cpu_ns / 1e9,
        mib: most_kib as f64 / 1024.0,
        saved_kib: bytes_in(directory) as f64 / 1024.0,
    })
}

fn bytes_in(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    entries
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => bytes_in(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}

impl Cost {
    /// How much each cost has grown when the work grew by a factor of `work`.
    pub fn growth(&self, before: &Cost, work: f64) -> String {
        let pairs = [
            ("time", self.seconds, before.seconds, SECONDS_MIN),
            ("CPU", self.cpu_seconds, before.cpu_seconds, SECONDS_MIN),
            ("memory", self.mib, before.mib, 0.0),
            ("saved", self.saved_kib, before.saved_kib, 0.0),
        ];
        let told =
            pairs.into_iter().filter(|(_, _, then, least)| then > least).map(|(name, now, then, _)| {
                let faster = if now / then > work * FASTER { ", FASTER THAN THE WORK" } else { "" };
                format!("{name} × {:.1}{faster}", now / then)
            });
        format!("{work:.0} × the work: {}", told.collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_is_found_by_its_whole_name() {
        let stat =
            "cpu  10 1 5 80 2 1 1 7 0 0\ncpu1 1 0 2 3 4 5 6 7 0 0\ncpu10 9 9 9 9 9 9 9 9 0 0\nintr 5\n";
        assert_eq!(Processor::parse(stat, "cpu"), Some(Processor { busy: 18, steal: 7, total: 107 }));
        assert_eq!(Processor::parse(stat, "cpu1"), Some(Processor { busy: 14, steal: 7, total: 28 }));
        assert_eq!(Processor::parse(stat, "cpu2"), None);
    }

    #[test]
    fn the_childrens_time_stands_behind_the_name() {
        let stat = "42 (a (b) c) R 1 42 42 0 -1 4194304 100 200 0 0 11 12 300 45 20 0 1 0 9 0 0";
        assert_eq!(children_ticks(stat), Some(345));
        assert_eq!(children_ticks("42 nothing"), None);
    }

    #[test]
    fn this_machine_can_be_read() {
        let meter = Meter::read(last_processor().unwrap(), None).unwrap();
        let used = Meter::read(last_processor().unwrap(), None).unwrap().since(&meter);
        assert!((0.0..=1.0).contains(&used.steal));
    }

    #[test]
    fn the_peak_is_read_and_a_zombie_has_none() {
        assert_eq!(peak_kib("Name:\tfathom\nVmPeak:\t  99 kB\nVmHWM:\t    1234 kB\n"), Some(1234));
        assert_eq!(peak_kib("Name:\tfathom\nState:\tZ (zombie)\n"), None);
    }

    #[test]
    fn what_grows_faster_than_the_work_is_told() {
        let cost = |seconds, mib| Cost { seconds, cpu_seconds: 0.0, mib, saved_kib: 0.0 };
        let told = cost(13.0, 20.0).growth(&cost(1.0, 10.0), 10.0);
        assert_eq!(told, "10 × the work: time × 13.0, FASTER THAN THE WORK, memory × 2.0");
        assert_eq!(cost(9.0, 20.0).growth(&cost(0.01, 10.0), 10.0), "10 × the work: memory × 2.0");
    }

    #[test]
    fn a_command_is_measured_and_must_succeed() {
        let directory = tempfile::tempdir().unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo 1234567 > saved; sleep 0.05"]).current_dir(directory.path());
        let cost = measure(shell, directory.path()).unwrap();
        assert!(cost.seconds >= 0.05 && cost.mib > 0.0, "{cost:?}");
        assert_eq!(cost.saved_kib, 8.0 / 1024.0);
        assert!(measure(Command::new("false"), directory.path()).is_err());
    }
}
