//! Job files for fio on another operating system: the text of the file, changed where that system
//! differs.
//!
//! A [`System`] is a table: its asynchronous engine, the name of a device, what must have another
//! value there, and what it does not have. Everything else of the text stays as it is.

mod rewrite;
#[cfg(test)]
mod tests;

use super::ForeignForm;
use crate::option::{OptionDef, OptionRelation, OptionStatus};
use rewrite::{from, to};

/// How an operating system differs, for job files.
struct System {
    /// The form's word on the command line.
    form: &'static str,
    /// The name of the system.
    name: &'static str,
    /// fio's asynchronous engine there.
    engine: &'static str,
    /// Engines of Linux that become that one.
    engines: &'static [&'static str],
    /// The name of the device number `at`, from 0, where only a person knows the right one.
    device: fn(at: usize) -> String,
    /// Is this the name of a device there?
    is_device: fn(path: &str) -> bool,
    /// How the name of a device is completed.
    device_hint: &'static str,
    /// What to do about the path of a file.
    path_hint: &'static str,
    /// Options with another value there: option, value here, value there, why.
    forced: &'static [(&'static str, &'static str, &'static str, &'static str)],
    /// An option that each job must have there, its value, and why.
    required: Option<(&'static str, &'static str, &'static str)>,
    /// Options that this system alone does not have, beside [`LINUX_ONLY`].
    dropped: &'static [Drop],
}

/// An option that a system does not have.
struct Drop {
    option: &'static str,
    /// Only these values, in small letters; empty for all.
    values: &'static [&'static str],
    why: &'static str,
}

impl Drop {
    const fn of(option: &'static str, why: &'static str) -> Self {
        Drop { option, values: &[], why }
    }

    const fn when(option: &'static str, values: &'static [&'static str], why: &'static str) -> Self {
        Drop { option, values, why }
    }

    fn covers(&self, option: &str, value: &str) -> bool {
        self.option == option && (self.values.is_empty() || self.values.contains(&value))
    }
}

/// Engines of fio that are the same on every system.
const EVERYWHERE: &[&str] = &["sync", "psync", "vsync", "mmap", "null"];

impl System {
    /// Options that the system does not have.
    fn dropped(&self) -> impl Iterator<Item = &'static Drop> {
        self.dropped.iter().chain(LINUX_ONLY)
    }

    /// The engine there, if it has a counterpart.
    fn engine_there<'a>(&self, engine: &'a str) -> Option<&'a str>
    where
        Self: 'a,
    {
        match () {
            () if self.engines.contains(&engine) => Some(self.engine),
            () if EVERYWHERE.contains(&engine) => Some(engine),
            // Both are pread and pwrite with another call.
            () if matches!(engine, "pvsync" | "pvsync2") => Some("psync"),
            () => None,
        }
    }

    /// Why an option with this value is left out there.
    fn why_dropped(&self, def: &OptionDef, value: &str) -> Option<String> {
        let name = if let OptionRelation::Becomes(other) = def.relation { other } else { def.name };
        if let Some(drop) = self.dropped().find(|drop| drop.covers(name, value)) {
            return Some(drop.why.to_owned());
        }
        if def.source == "fathom" {
            return Some("it is an option of fathom, and fio does not have it".to_owned());
        }
        if let OptionStatus::Refused(why) = def.status {
            return Some(why.to_owned());
        }
        let is_kept = |engine: &&str| self.engine_there(engine) == Some(engine);
        (!def.engines.is_empty() && !def.engines.iter().any(is_kept)).then(|| {
            format!("it is an option of {}, which {} does not have", def.engines.join(" and "), self.name)
        })
    }
}

/// Options that no other system has.
const LINUX_ONLY: &[Drop] = &[
    Drop::of("cpus_allowed_policy", "without cpus_allowed it says nothing"),
    Drop::of("numa_cpu_nodes", NO_LIBNUMA),
    Drop::of("numa_mem_policy", NO_LIBNUMA),
    Drop::of("prio", NO_PRIORITY),
    Drop::of("prioclass", NO_PRIORITY),
    Drop::of("hugepage-size", NO_HUGE_PAGES),
    Drop::when("mem", &["shmhuge", "mmaphuge"], NO_HUGE_PAGES),
];

const NO_LIBNUMA: &str = "fio places workers on NUMA nodes by libnuma, which is a library of Linux";
const NO_PRIORITY: &str = "fio sets I/O priorities by ioprio_set(2), which is a call of Linux";
const NO_HUGE_PAGES: &str = "fio takes huge pages from Linux only";

/// The form for Solaris.
pub const SOLARIS_FORM: ForeignForm = ForeignForm {
    name: "solaris",
    what: "a job file for fio on Solaris",
    to: Some(|source| to(&SOLARIS, source)),
    from: Some(|source| from(&SOLARIS, source)),
};

/// By the table of the guide: solarisaio for libaio, direct=0, the raw partition over the whole device, and no list of CPUs.
const SOLARIS: System = System {
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
        Drop::of("sync_file_range", "Solaris has no sync_file_range(2)"),
    ],
};

/// The form for Windows.
pub const WINDOWS_FORM: ForeignForm = ForeignForm {
    name: "windows",
    what: "a job file for fio on Windows",
    to: Some(|source| to(&WINDOWS, source)),
    from: Some(|source| from(&WINDOWS, source)),
};

/// By the table of the guide: windowsaio for libaio and sync, threads for processes, `\\.\PhysicalDriveX` for the device, and no
/// list of CPUs.
const WINDOWS: System = System {
    form: "windows",
    name: "Windows",
    engine: "windowsaio",
    engines: &["libaio", "sync", "psync", "vsync", "pvsync", "pvsync2", "io_uring"],
    device: windows_device,
    is_device: |path| path.starts_with(r"\\.\"),
    device_hint: r"replace X by the number of the disk in Disk Management, such as \\.\PhysicalDrive2",
    path_hint: r"write the path that it has on Windows, with `\:` for the colon of a drive letter",
    forced: &[],
    required: Some(("thread", "1", "fio has no processes on Windows, so each job is a thread")),
    dropped: &[
        Drop::of("cpus_allowed", "the guide removes it for Windows: place the workers with start /affinity"),
        Drop::of("sync_file_range", "Windows has no sync_file_range(2)"),
    ],
};

/// The name of the device number `at` of the job file, until a person puts in the right one.
fn windows_device(at: usize) -> String {
    match b"XYZ".get(at) {
        Some(letter) => format!(r"\\.\PhysicalDrive{}", *letter as char),
        None => format!(r"\\.\PhysicalDriveX{}", at + 1),
    }
}
