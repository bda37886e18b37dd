//! How the processors spent the time between the two readings (`/proc/stat`).

use std::path::Path;

use super::{Raw, Scene};
use fathom_device::cpu_ticks::ticks;
use fathom_device::root::Unknown;

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
    fn the_first_line_is_the_sum_and_the_others_are_processors() {
        let text = "cpu  10 1 9 70 5 2 3 4 99 0\ncpu0 5 0 4 35 2 1 1 2\ncpu1 5 1 5 35 3 1 2 2\nintr 7\n";
        let times = CpuTimes::parse(text).unwrap();
        assert_eq!(times, CpuTimes { total: 104, idle: 75, steal: 4, cpus: 2 });
        assert_eq!(CpuTimes::parse("cpu  1 2 3\n"), None);
        assert_eq!(CpuTimes::parse("????"), None);
    }
}
