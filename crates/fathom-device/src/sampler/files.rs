//! Tables of which each number has its own file: clocks of CPUs, their throttling, errors on PCIe links.

use super::{BeginResult, SampleScope, names, readable};
use crate::address::aer_total;
use crate::root::Root;
use std::path::PathBuf;

/// Where a number comes from.
enum NumberAt {
    /// A file, and how its text is understood.
    File(PathBuf, fn(&str) -> Option<u64>),
    /// It stays what it was in the beginning.
    Constant(u64),
}

/// Reads a file for each number. Each row has its files in the order of the columns.
fn file_table<const N: usize>(
    columns: [&str; N],
    subjects: Vec<String>,
    rows: Vec<Vec<NumberAt>>,
) -> BeginResult {
    readable(columns, subjects, move |root| {
        let number = |at: &NumberAt| match at {
            NumberAt::File(path, parse) => parse(&root.read_text(path).ok()?),
            NumberAt::Constant(value) => Some(*value),
        };
        rows.iter().map(|row| row.iter().map(number).collect()).collect()
    })
}

fn whole(text: &str) -> Option<u64> {
    text.parse().ok()
}

// The clock of each CPU, with its nominal clock and its highest clock.
//
// They are read from cpufreq. Without cpufreq there is no table: most virtual machines have none, and their
// `/proc/cpuinfo` shows a constant.

pub(super) fn begin_clock(root: &Root, _: &SampleScope) -> BeginResult {
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
    file_table(["khz", "khz_nominal", "khz_max"], names(&cpus), rows.collect())
}

/// The clock without turbo, from the driver or from the firmware's table (in MHz).
fn nominal_khz(root: &Root, dir: &str) -> Option<u64> {
    let of_driver = root.read_value::<u64>(format!("{dir}/cpufreq/base_frequency")).ok();
    let of_firmware = || root.read_value::<u64>(format!("{dir}/acpi_cppc/nominal_freq")).ok();
    of_driver.or_else(|| of_firmware().map(|mhz| mhz.saturating_mul(1_000))).filter(|khz| *khz > 0)
}

pub(super) fn begin_throttle(root: &Root, _: &SampleScope) -> BeginResult {
    let file =
        |cpu: u32, of: &str| format!("/sys/devices/system/cpu/cpu{cpu}/thermal_throttle/{of}_throttle_count");
    let cpus = root.numbers("/sys/devices/system/cpu", "cpu").into_iter();
    let cpus: Vec<u32> = cpus.filter(|cpu| root.exists(file(*cpu, "core"))).collect();
    let number = |cpu: u32, of: &str| match root.exists(file(cpu, of)) {
        true => NumberAt::File(file(cpu, of).into(), whole),
        false => NumberAt::Constant(0),
    };
    let rows = cpus.iter().map(|cpu| vec![number(*cpu, "core"), number(*cpu, "package")]).collect();
    file_table(["core", "package"], names(&cpus), rows)
}

const LINK_ERROR_COLUMNS: [&str; 3] = ["correctable", "nonfatal", "fatal"];

pub(super) fn begin_link_errors(root: &Root, scope: &SampleScope) -> BeginResult {
    let mut functions: Vec<_> = scope.disks.iter().flat_map(|disk| disk.ways.iter().flatten()).collect();
    functions.sort();
    functions.dedup();
    functions.retain(|dir| root.exists(dir.join("aer_dev_correctable")));
    let file = |dir: &std::path::Path, of: &str| NumberAt::File(dir.join(format!("aer_dev_{of}")), aer_total);
    let rows =
        functions.iter().map(|dir| LINK_ERROR_COLUMNS.iter().map(|of| file(dir, of)).collect()).collect();
    let subjects = functions.iter().filter_map(|dir| dir.file_name()).map(|name| name.to_string_lossy());
    file_table(LINK_ERROR_COLUMNS, names(subjects), rows)
}
