//! How each CPU spent the time between the two readings, from `/proc/stat`.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Raw, Scene};
use fathom_device::cpu_ticks::{self, CpuTicks, PATH};
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
        let raw = self.read(PATH)?;
        let now = parse(&raw.text)?;
        let before = parse(self.before(Path::new(PATH))?)?;
        let spent = |(cpu, now): (&u32, &CpuTicks)| Some((*cpu, grown(now, before.get(cpu)?)));
        Ok((now.iter().filter_map(spent).collect(), raw))
    }
}

fn parse(text: &str) -> Result<BTreeMap<u32, CpuTicks>, Unknown> {
    let garbled = || Unknown::garbled(Path::new(PATH), text.lines().next().unwrap_or_default());
    cpu_ticks::parse(text).ok_or_else(garbled)
}

/// Idle and waiting time may decrease a little (proc_stat(5)), so each field is
/// computed separately. Guest time is contained in the first two.
fn grown(now: &CpuTicks, before: &CpuTicks) -> Ticks {
    let spent: Vec<u64> =
        now[..8].iter().zip(before).map(|(now, before)| now.saturating_sub(*before)).collect();
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
