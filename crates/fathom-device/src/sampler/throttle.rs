//! How often heat slowed down each CPU and its package.

use super::files::{FileTable, NumberAt, whole};
use super::{Found, SampleScope, SamplerTable, found, names};
use crate::root::Root;

pub(super) const KIND: &str = "throttle";

pub(super) fn begin(root: &Root, _: &SampleScope) -> Found {
    let file =
        |cpu: u32, of: &str| format!("/sys/devices/system/cpu/cpu{cpu}/thermal_throttle/{of}_throttle_count");
    let cpus = root.numbers("/sys/devices/system/cpu", "cpu").into_iter();
    let cpus: Vec<u32> = cpus.filter(|cpu| root.exists(file(*cpu, "core"))).collect();
    let number = |cpu: u32, of: &str| match root.exists(file(cpu, of)) {
        true => NumberAt::File(file(cpu, of).into(), whole),
        false => NumberAt::Constant(0),
    };
    let rows = cpus.iter().map(|cpu| vec![number(*cpu, "core"), number(*cpu, "package")]).collect();
    let (columns, subjects) = (names(["core", "package"]), names(&cpus));
    found(FileTable { table: SamplerTable { kind: KIND, is_counter: true, columns, subjects }, rows })
}
