//! Job files for fio on Solaris, by the table of the guide (contract V-33): solarisaio for libaio,
//! direct=0, the raw partition over the whole device, and no list of CPUs.

use super::{Drop, System, from, to};
use crate::convert::ForeignForm;

/// The form.
pub const FORM: ForeignForm = ForeignForm {
    name: "solaris",
    what: "a job file for fio on Solaris",
    to: Some(|source| to(&SOLARIS, source)),
    from: Some(|source| from(&SOLARIS, source)),
};

pub(super) const SOLARIS: System = System {
    form: "solaris",
    name: "Solaris",
    engine: "solarisaio",
    engines: &["libaio", "io_uring"],
    device: |at| format!("/dev/rdsk/c*d{at}p0"),
    is_device: |path| path.starts_with("/dev/rdsk/") || path.starts_with("/dev/dsk/"),
    device_hint: "replace the asterisk: p0 is the partition that covers the whole device, such as /dev/rdsk/c4d0p0",
    path_hint: "write the path that it has on Solaris",
    forced: &[("direct", "1", "0", "a raw device of Solaris has no page cache to bypass")],
    required: None,
    dropped: &[
        Drop::of("cpus_allowed", "the guide removes it for Solaris: place the workers with psrset"),
        Drop::of("cpus_allowed_policy", "without cpus_allowed it says nothing"),
        Drop::of("numa_cpu_nodes", NO_LIBNUMA),
        Drop::of("numa_mem_policy", NO_LIBNUMA),
        Drop::of("prio", NO_PRIORITY),
        Drop::of("prioclass", NO_PRIORITY),
        Drop::of("sync_file_range", "Solaris has no sync_file_range(2)"),
        Drop::of("hugepage-size", NO_HUGE_PAGES),
        Drop::when("mem", &["shmhuge", "mmaphuge"], NO_HUGE_PAGES),
    ],
};

const NO_LIBNUMA: &str = "fio places workers on NUMA nodes by libnuma, which is a library of Linux";
const NO_PRIORITY: &str = "fio sets I/O priorities by ioprio_set(2), which is a call of Linux";
const NO_HUGE_PAGES: &str = "fio takes huge pages from Linux only";
