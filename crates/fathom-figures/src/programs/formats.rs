//! The formats. A new one is a file beside this one, a row of [`PROGRAM_FORMATS`], and a variant of `Program` (docs/adr/0030).

use super::format::ProgramFormat;
use super::{disk_mark, elbencho, hammerdb, sysstat, sysstat_json, vdbench, vmstat};

/// All of them. The first that fits is the form of a file.
pub const PROGRAM_FORMATS: &[ProgramFormat] = &[
    sysstat_json::IOSTAT,
    sysstat_json::MPSTAT,
    sysstat_json::SADF,
    vdbench::FORMAT,
    elbencho::FORMAT,
    hammerdb::FORMAT,
    disk_mark::CRYSTAL,
    disk_mark::KDE,
    vmstat::FORMAT,
    sysstat::IOSTAT,
    sysstat::MPSTAT,
    sysstat::SAR,
];

/// The form that the text says.
pub fn program_format(head: &str) -> Option<&'static ProgramFormat> {
    PROGRAM_FORMATS.iter().find(|format| (format.is_it)(head))
}
