//! How each CPU spent the time between the two readings, from `/proc/stat`.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Raw, Scene};
use fathom_device::root::Unknown;

const STAT: &str = "/proc/stat";

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
        let raw = self.read(STAT)?;
        let now = parse(&raw.text)?;
        let before = parse(self.before(Path::new(STAT))?)?;
        let spent = |(cpu, now): (&u32, &Fields)| Some((*cpu, grown(now, before.get(cpu)?)));
        Ok((now.iter().filter_map(spent).collect(), raw))
    }
}

/// user nice system idle iowait irq softirq steal (proc_stat(5)). The two
/// fields after them, guest time, are contained in the first two.
type Fields = [u64; 8];

fn parse(text: &str) -> Result<BTreeMap<u32, Fields>, Unknown> {
    let lines = text.lines().filter_map(|line| {
        let (name, rest) = line.split_once(' ')?;
        let cpu: u32 = name.strip_prefix("cpu")?.parse().ok()?;
        Some((cpu, rest))
    });
    let cpus: Option<BTreeMap<u32, Fields>> = lines.map(|(cpu, rest)| Some((cpu, fields(rest)?))).collect();
    let cpus = cpus.filter(|cpus| !cpus.is_empty());
    cpus.ok_or_else(|| Unknown::garbled(Path::new(STAT), text.lines().next().unwrap_or_default()))
}

/// The numbers after a line's name.
pub(super) fn fields(text: &str) -> Option<Fields> {
    let numbers: Vec<u64> = text.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    numbers.get(..8)?.try_into().ok()
}

/// Idle and waiting time may decrease a little (proc_stat(5)), so each field is
/// computed separately.
fn grown(now: &Fields, before: &Fields) -> Ticks {
    let spent: Vec<u64> = now.iter().zip(before).map(|(now, before)| now.saturating_sub(*before)).collect();
    let total = spent.iter().sum();
    Ticks { total, idle: spent[3] + spent[4], interrupts: spent[5] + spent[6], stolen: spent[7] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_that_only_handled_interrupts() {
        let before = parse("cpu  9 9 9 9 9 9 9 9\ncpu3 0 0 0 100 0 10 20 0 0 0\nintr 5").unwrap();
        let now = parse("cpu  9 9 9 9 9 9 9 9\ncpu3 10 0 0 99 0 30 80 10 10 0\nintr 5").unwrap();
        let ticks = grown(&now[&3], &before[&3]);
        assert_eq!(ticks, Ticks { total: 100, idle: 0, interrupts: 80, stolen: 10 });
        assert_eq!((ticks.busy_pct(), ticks.pct(ticks.interrupts)), (100, 80));
    }

    #[test]
    fn no_cpu_is_no_answer() {
        for text in ["", "intr 5", "cpu0 1 2 x", "cpu0 1 2 3"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
