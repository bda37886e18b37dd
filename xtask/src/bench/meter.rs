//! What the kernel counts for a run: CPU time, time that the hypervisor took, I/Os of the disk.
//!
//! CPU time is that of our children, from /proc/self/stat, where it is exact to its unit of 10 ms:
//! 0.3 % of a run of three seconds. It includes every thread of the process, also the workers that the
//! kernel made for its io_uring, but not kernel threads that serve a device; those are in the busy
//! time of the machine.

use std::fs;

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
        let stat = slurp("/proc/stat")?;
        let line = |name: &str| {
            Processor::parse(&stat, name).ok_or_else(|| format!("/proc/stat has no line for {name}"))
        };
        let own = slurp("/proc/self/stat")?;
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
    let first = slurp(&path)?.split_whitespace().next().and_then(|n| n.parse().ok());
    first.ok_or_else(|| format!("{path} does not begin with a number"))
}

fn slurp(path: &str) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))
}

/// The last processor that we may use: the first takes most interrupts.
pub fn last_processor() -> Result<u32, String> {
    let status = slurp("/proc/self/status")?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let last = list.and_then(|list| list.trim().rsplit(['-', ',']).next()?.parse().ok());
    last.ok_or_else(|| "/proc/self/status names no processor".to_owned())
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
}
