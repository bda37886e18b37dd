//! The clock of each CPU, with its nominal clock and its highest clock.
//!
//! They are read from cpufreq. Without cpufreq there is no table: most virtual machines have none, and their
//! `/proc/cpuinfo` shows a constant.

use super::files::{FileTable, NumberAt, whole};
use super::{Found, SampleScope, SamplerTable, found, names};
use crate::root::Root;

pub(super) const KIND: &str = "clock";

pub(super) fn begin(root: &Root, _: &SampleScope) -> Found {
    let cpus = root.numbers("/sys/devices/system/cpu", "cpu");
    let dir = |cpu: &u32| format!("/sys/devices/system/cpu/cpu{cpu}");
    let current = |cpu: &u32| format!("{}/cpufreq/scaling_cur_freq", dir(cpu));
    let cpus: Vec<u32> = cpus.into_iter().filter(|cpu| root.exists(current(cpu))).collect();
    let rows = cpus.iter().map(|cpu| {
        let limit = root.read_value(format!("{}/cpufreq/cpuinfo_max_freq", dir(cpu)));
        vec![
            NumberAt::File(current(cpu).into(), whole),
            NumberAt::Constant(nominal_khz(root, &dir(cpu)).unwrap_or(0)),
            NumberAt::Constant(limit.unwrap_or(0)),
        ]
    });
    let (rows, subjects) = (rows.collect(), names(&cpus));
    let columns = names(["khz", "khz_nominal", "khz_max"]);
    found(FileTable { table: SamplerTable { kind: KIND, is_counter: false, columns, subjects }, rows })
}

/// The clock without turbo, from the driver or from the firmware's table (in MHz).
fn nominal_khz(root: &Root, dir: &str) -> Option<u64> {
    let of_driver = root.read_value::<u64>(format!("{dir}/cpufreq/base_frequency")).ok();
    let of_firmware = || root.read_value::<u64>(format!("{dir}/acpi_cppc/nominal_freq")).ok();
    of_driver.or_else(|| of_firmware().map(|mhz| mhz.saturating_mul(1_000))).filter(|khz| *khz > 0)
}
