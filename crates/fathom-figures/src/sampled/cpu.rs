//! How the CPUs spent their time.

use super::{SampledRow, SampledSpan};
use crate::ratio;
use fathom_results::sample::kind::CPU;

/// One CPU, or all.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuFigures {
    /// Its number; `all` for all together.
    pub name: String,
    /// Its time by use.
    pub time: CpuUse,
}

/// Time by use, in percent of the time that the CPU was there. Guest time is not part of user time here,
/// as `mpstat` shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CpuUse {
    /// Programs, guests left out.
    pub user: f64,
    /// Programs with a low priority, guests left out.
    pub nice: f64,
    /// The kernel, interrupts left out.
    pub system: f64,
    /// Idle while I/O was under way.
    pub iowait: f64,
    /// Interrupts.
    pub irq: f64,
    /// Deferred interrupts.
    pub softirq: f64,
    /// Taken by the hypervisor.
    pub steal: f64,
    /// Virtual machines.
    pub guest: f64,
    /// Virtual machines with a low priority.
    pub guest_nice: f64,
    /// Nothing to do.
    pub idle: f64,
}

impl CpuUse {
    /// Not idle, and not waiting for I/O.
    pub fn busy(&self) -> f64 {
        (100.0 - self.idle - self.iowait).max(0.0)
    }

    /// From the ticks of each use.
    fn of(ticks: impl Fn(&str) -> f64) -> CpuUse {
        let uses = ["user", "nice", "system", "iowait", "irq", "softirq", "steal", "idle"];
        let all = uses.into_iter().map(&ticks).sum();
        let percent = |ticks: f64| 100.0 * ratio(ticks, all);
        CpuUse {
            user: percent((ticks("user") - ticks("guest")).max(0.0)),
            nice: percent((ticks("nice") - ticks("guest_nice")).max(0.0)),
            system: percent(ticks("system")),
            iowait: percent(ticks("iowait")),
            irq: percent(ticks("irq")),
            softirq: percent(ticks("softirq")),
            steal: percent(ticks("steal")),
            guest: percent(ticks("guest")),
            guest_nice: percent(ticks("guest_nice")),
            idle: percent(ticks("idle")),
        }
    }
}

impl SampledSpan<'_> {
    /// Each CPU, those that were offline left out.
    pub fn cpus(&self) -> Vec<CpuFigures> {
        let figures = |row: SampledRow<'_>| CpuFigures {
            name: row.subject.to_owned(),
            time: CpuUse::of(|column| row.count(column)),
        };
        self.rows(&CPU).into_iter().map(figures).collect()
    }

    /// All CPUs together; `None` where none was sampled.
    pub fn all_cpus(&self) -> Option<CpuUse> {
        let cpus = self.rows(&CPU);
        let ticks = |column: &str| cpus.iter().map(|cpu| cpu.count(column)).sum();
        (!cpus.is_empty()).then(|| CpuUse::of(ticks))
    }
}
