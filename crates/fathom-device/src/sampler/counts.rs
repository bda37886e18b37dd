//! Tables of what the kernel counts: time of CPUs, I/O of disks, interrupts.

use super::{BeginResult, SampleScope, names, readable};
use crate::counters;
use crate::diskstat::{COUNTER_NAMES, DiskCounters};
use crate::root::Root;
use std::path::Path;

const CPU_USES: [&str; 10] =
    ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"];

/// Time of each CPU by use. A CPU that comes online during the run is not followed.
pub(super) fn begin_cpu(root: &Root, _: &SampleScope) -> BeginResult {
    let cpus: Vec<u32> = counters::cpu_ticks(root)?.into_keys().collect();
    readable(CPU_USES, names(&cpus), move |root| {
        let now = counters::cpu_ticks(root).unwrap_or_default();
        cpus.iter().map(|cpu| now.get(cpu).map(|ticks| ticks.to_vec())).collect()
    })
}

/// The disks below the targets, members of arrays too.
pub(super) fn begin_disk(_: &Root, scope: &SampleScope) -> BeginResult {
    let disks = names(scope.disks.iter().map(|disk| &disk.name));
    readable(COUNTER_NAMES, disks.clone(), move |root| {
        let row = |name: &String| Some(DiskCounters::read(root, name).ok()?.counted());
        disks.iter().map(row).collect()
    })
}

const IRQS: &str = "/sys/kernel/irq";

/// Interrupts of the targets' devices, by interrupt and CPU.
///
/// Each is read from its own file `/sys/kernel/irq/N/per_cpu_count`. `/proc/interrupts` has the same
/// numbers, but those of all devices: with 4,000 interrupts on 256 CPUs it is 12 MB of text.
pub(super) fn begin_interrupt(root: &Root, scope: &SampleScope) -> BeginResult {
    let ends = scope.disks.iter().flat_map(|disk| disk.ways.iter().filter_map(|way| way.last()));
    let mut irqs: Vec<u32> = ends.flat_map(|function| of_function(root, function)).collect();
    irqs.sort_unstable();
    irqs.dedup();
    irqs.retain(|irq| root.exists(format!("{IRQS}/{irq}/per_cpu_count")));
    if irqs.is_empty() {
        return super::nothing();
    }
    // Places in the file, which has a number for each possible CPU.
    let cpus: Vec<u32> = counters::cpu_ticks(root)?.into_keys().collect();
    let subject = |irq: &u32| {
        let name = root.read_text(format!("{IRQS}/{irq}/actions")).unwrap_or_default();
        format!("{irq} {name}").trim().to_owned()
    };
    let (columns, subjects) = (names(&cpus), irqs.iter().map(subject).collect());
    readable(columns, subjects, move |root| {
        let of_irq = |irq: &u32| {
            let text = root.read_text(format!("{IRQS}/{irq}/per_cpu_count")).ok()?;
            let counts: Vec<u64> =
                text.split(',').map(|count| count.trim().parse().ok()).collect::<Option<_>>()?;
            cpus.iter().map(|cpu| counts.get(*cpu as usize).copied()).collect()
        };
        irqs.iter().map(of_irq).collect()
    })
}

/// The numbers of a function's interrupts; 0 is none.
fn of_function(root: &Root, function: &Path) -> Vec<u32> {
    let all = root.numbers(function.join("msi_irqs"), "");
    let legacy = || root.read_value(function.join("irq")).ok().filter(|irq| *irq > 0).into_iter().collect();
    if all.is_empty() { legacy() } else { all }
}
