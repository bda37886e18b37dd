//! How each CPU spent the time between the two readings, from `/proc/stat`.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Raw, Scene};
use fathom_device::counters::{self, CPU_TICKS_PATH, CpuTicks, ticks};
use fathom_device::root::Unknown;

/// Time of one CPU, in ticks of `USER_HZ` (10 ms on every current
/// architecture); only their ratios are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ticks {
    /// All ticks.
    pub total: u64,
    /// Idle time, including the time of waiting for I/O.
    pub idle: u64,
    /// Time in interrupts, hard and soft.
    pub interrupts: u64,
    /// Time that the hypervisor took for others.
    pub stolen: u64,
}

impl Ticks {
    /// Per cent of the time in which it was not idle.
    pub fn busy_pct(&self) -> u64 {
        self.pct(self.total.saturating_sub(self.idle))
    }

    /// `part` in per cent of all.
    pub fn pct(&self, part: u64) -> u64 {
        (part * 100).checked_div(self.total).unwrap_or(0)
    }
}

impl Scene<'_> {
    /// The ticks of each CPU since the earlier reading, with the text of the file now.
    pub fn ticks_spent(&self) -> Result<(BTreeMap<u32, Ticks>, Raw), Unknown> {
        let raw = self.read(CPU_TICKS_PATH)?;
        let now = parse(&raw.text)?;
        let before = parse(self.before(Path::new(CPU_TICKS_PATH))?)?;
        let spent = |(cpu, now): (&u32, &CpuTicks)| Some((*cpu, grown_of(now, before.get(cpu)?)));
        Ok((now.iter().filter_map(spent).collect(), raw))
    }
}

fn parse(text: &str) -> Result<BTreeMap<u32, CpuTicks>, Unknown> {
    let garbled = || Unknown::garbled(Path::new(CPU_TICKS_PATH), text.lines().next().unwrap_or_default());
    counters::parse_cpu_ticks(text).ok_or_else(garbled)
}

/// Idle and waiting time may decrease a little (proc_stat(5)), so each field is
/// computed separately. Guest time is contained in the first two.
fn grown_of(now: &CpuTicks, before: &CpuTicks) -> Ticks {
    let spent: Vec<u64> =
        now[..8].iter().zip(before).map(|(now, before)| now.saturating_sub(*before)).collect();
    let total = spent.iter().sum();
    Ticks { total, idle: spent[3] + spent[4], interrupts: spent[5] + spent[6], stolen: spent[7] }
}

// How the processors spent the time between the two readings (`/proc/stat`).

/// The file with the counters; also the pattern for the first reading.
pub(crate) const PROC_STAT: &str = "/proc/stat";

/// Ticks (`USER_HZ`, a hundredth of a second on almost all machines) of all
/// processors together, by use (proc_stat(5)).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CpuTimes {
    /// All ticks; guest time is part of user time and not counted again.
    pub total: u64,
    /// Nothing to do, or waiting for I/O.
    pub idle: u64,
    /// Taken by the hypervisor while this machine wanted to run.
    pub steal: u64,
    /// Number of processors.
    pub cpus: u64,
}

impl CpuTimes {
    /// From the file's text; `None` if its first line is not the sum of at
    /// least eight numbers.
    pub fn parse(text: &str) -> Option<Self> {
        let sum = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
        let all = ticks(sum)?;
        let [.., idle, iowait, _irq, _softirq, steal, _guest, _guest_nice] = all;
        let is_cpu = |line: &&str| line.strip_prefix("cpu").is_some_and(|rest| !rest.starts_with(' '));
        Some(Self {
            total: all[..8].iter().sum(),
            idle: idle + iowait,
            steal,
            cpus: text.lines().filter(is_cpu).count() as u64,
        })
    }

    fn since(self, then: Self) -> Option<Self> {
        Some(Self {
            total: self.total.checked_sub(then.total)?,
            // The kernel's idle and iowait may decrease a little.
            idle: self.idle.saturating_sub(then.idle),
            steal: self.steal.saturating_sub(then.steal),
            cpus: self.cpus,
        })
    }
}

impl Scene<'_> {
    /// The times since boot.
    pub fn cpu_times(&self) -> Result<(CpuTimes, Raw), Unknown> {
        let raw = self.read(PROC_STAT)?;
        let times = CpuTimes::parse(&raw.text).ok_or_else(|| Unknown::garbled(&raw.path, &raw.text))?;
        Ok((times, raw))
    }

    /// The times between the two readings; unknown where no tick passed.
    pub fn cpu_growth(&self) -> Result<(CpuTimes, Raw), Unknown> {
        let (now, raw) = self.cpu_times()?;
        let before = self.before(Path::new(PROC_STAT))?;
        let then = CpuTimes::parse(before).ok_or_else(|| Unknown::garbled(&raw.path, before))?;
        let grown = now.since(then).filter(|grown| grown.total > 0);
        let grown =
            grown.ok_or_else(|| Unknown::new(&raw.path, "no time passed between the two readings"))?;
        Ok((grown, raw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_that_only_handled_interrupts() {
        let before = parse("cpu  9 9 9 9 9 9 9 9\ncpu3 0 0 0 100 0 10 20 0 0 0\nintr 5").unwrap();
        let now = parse("cpu  9 9 9 9 9 9 9 9\ncpu3 10 0 0 99 0 30 80 10 10 0\nintr 5").unwrap();
        let ticks = grown_of(&now[&3], &before[&3]);
        assert_eq!(ticks, Ticks { total: 100, idle: 0, interrupts: 80, stolen: 10 });
        assert_eq!((ticks.busy_pct(), ticks.pct(ticks.interrupts)), (100, 80));
    }

    #[test]
    fn no_cpu_is_no_answer() {
        for text in ["", "intr 5", "cpu0 1 2 x", "cpu0 1 2 3"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_first_line_is_the_sum_and_the_others_are_processors() {
        let text = "cpu  10 1 9 70 5 2 3 4 99 0\ncpu0 5 0 4 35 2 1 1 2\ncpu1 5 1 5 35 3 1 2 2\nintr 7\n";
        let times = CpuTimes::parse(text).unwrap();
        assert_eq!(times, CpuTimes { total: 104, idle: 75, steal: 4, cpus: 2 });
        assert_eq!(CpuTimes::parse("cpu  1 2 3\n"), None);
        assert_eq!(CpuTimes::parse("????"), None);
    }
}
