//! Interrupts of the targets' devices, by interrupt and CPU.
//!
//! Each is read from its own file `/sys/kernel/irq/N/per_cpu_count`. `/proc/interrupts` has the same
//! numbers, but those of all devices: with 4,000 interrupts on 256 CPUs it is 12 MB of text.

use std::path::Path;

use super::{BeginResult, SampleScope, Sampler, SamplerTable, TableReading, if_any, names};
use crate::counters;
use crate::root::Root;

pub(super) const KIND: &str = "interrupt";

const TABLE: &str = "/sys/kernel/irq";

struct Interrupts {
    irqs: Vec<u32>,
    /// Places in the file, which has a number for each possible CPU.
    cpus: Vec<u32>,
    table: SamplerTable,
}

pub(super) fn begin(root: &Root, scope: &SampleScope) -> BeginResult {
    let ends = scope.disks.iter().flat_map(|disk| disk.ways.iter().filter_map(|way| way.last()));
    let mut irqs: Vec<u32> = ends.flat_map(|function| of_function(root, function)).collect();
    irqs.sort_unstable();
    irqs.dedup();
    irqs.retain(|irq| root.exists(format!("{TABLE}/{irq}/per_cpu_count")));
    if irqs.is_empty() {
        return Ok(None);
    }
    let cpus: Vec<u32> = counters::cpu_ticks(root)?.into_keys().collect();
    let subjects = irqs.iter().map(|irq| {
        let name = root.read_text(format!("{TABLE}/{irq}/actions")).unwrap_or_default();
        format!("{irq} {name}").trim().to_owned()
    });
    let (columns, subjects) = (names(&cpus), subjects.collect());
    if_any(Interrupts { irqs, cpus, table: SamplerTable { kind: KIND, is_counter: true, columns, subjects } })
}

/// The numbers of a function's interrupts; 0 is none.
fn of_function(root: &Root, function: &Path) -> Vec<u32> {
    let all = root.numbers(function.join("msi_irqs"), "");
    let legacy = || root.read_value(function.join("irq")).ok().filter(|irq| *irq > 0).into_iter().collect();
    if all.is_empty() { legacy() } else { all }
}

impl Sampler for Interrupts {
    fn table(&self) -> &SamplerTable {
        &self.table
    }

    fn read(&mut self, root: &Root) -> TableReading {
        let of_irq = |irq: &u32| {
            let text = root.read_text(format!("{TABLE}/{irq}/per_cpu_count")).ok()?;
            let counts: Vec<u64> =
                text.split(',').map(|count| count.trim().parse().ok()).collect::<Option<_>>()?;
            self.cpus.iter().map(|cpu| counts.get(*cpu as usize).copied()).collect()
        };
        self.irqs.iter().map(of_irq).collect()
    }
}
