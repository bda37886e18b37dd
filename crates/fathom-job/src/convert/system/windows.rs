//! Job files for fio on Windows, by the table of the guide (contract V-32): windowsaio for libaio and
//! sync, threads for processes, `\\.\PhysicalDriveX` for the device, and no list of CPUs.

use super::{Drop, System, from, to};
use crate::convert::ForeignForm;

/// The form.
pub const FORM: ForeignForm = ForeignForm {
    name: "windows",
    what: "a job file for fio on Windows",
    to: Some(|source| to(&WINDOWS, source)),
    from: Some(|source| from(&WINDOWS, source)),
};

pub(super) const WINDOWS: System = System {
    form: "windows",
    name: "Windows",
    engine: "windowsaio",
    engines: &["libaio", "sync", "psync", "vsync", "pvsync", "pvsync2", "io_uring"],
    device,
    is_device: |path| path.starts_with(r"\\.\"),
    device_hint: r"replace X by the number of the disk in Disk Management, such as \\.\PhysicalDrive2",
    path_hint: r"write the path that it has on Windows, with `\:` for the colon of a drive letter",
    forced: &[],
    required: Some(("thread", "1", "fio has no processes on Windows, so each job is a thread")),
    dropped: &[
        Drop::of("cpus_allowed", "the guide removes it for Windows: place the workers with start /affinity"),
        Drop::of("cpus_allowed_policy", "without cpus_allowed it says nothing"),
        Drop::of("numa_cpu_nodes", NO_LIBNUMA),
        Drop::of("numa_mem_policy", NO_LIBNUMA),
        Drop::of("prio", NO_PRIORITY),
        Drop::of("prioclass", NO_PRIORITY),
        Drop::of("sync_file_range", "Windows has no sync_file_range(2)"),
        Drop::of("hugepage-size", NO_HUGE_PAGES),
        Drop::when("mem", &["shmhuge", "mmaphuge"], NO_HUGE_PAGES),
    ],
};

const NO_LIBNUMA: &str = "fio places workers on NUMA nodes by libnuma, which is a library of Linux";
const NO_PRIORITY: &str = "fio sets I/O priorities by ioprio_set(2), which is a call of Linux";
const NO_HUGE_PAGES: &str = "fio takes huge pages from Linux only";

/// The name of the device number `at` of the job file, until a person puts in the right one.
fn device(at: usize) -> String {
    match b"XYZ".get(at) {
        Some(letter) => format!(r"\\.\PhysicalDrive{}", *letter as char),
        None => format!(r"\\.\PhysicalDriveX{}", at + 1),
    }
}
