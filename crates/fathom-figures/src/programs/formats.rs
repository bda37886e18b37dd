//! The formats. A new one is a file beside this one, a row of [`PROGRAM_FORMATS`], and a [`Program`] (docs/adr/0030).

use super::result::ProgramResult;
use super::{disk_mark, elbencho, hammerdb, sysstat, sysstat_json, vdbench, vmstat};

/// A program whose results are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Program {
    /// `iostat` of sysstat.
    Iostat,
    /// `mpstat` of sysstat.
    Mpstat,
    /// `sar` and `sadf` of sysstat.
    Sar,
    /// `vmstat` of procps.
    Vmstat,
    /// vdbench.
    Vdbench,
    /// elbencho.
    Elbencho,
    /// HammerDB.
    HammerDb,
    /// CrystalDiskMark.
    CrystalDiskMark,
    /// KDiskMark.
    KDiskMark,
}

impl Program {
    /// As it calls itself.
    pub const fn name(self) -> &'static str {
        match self {
            Program::Iostat => "iostat",
            Program::Mpstat => "mpstat",
            Program::Sar => "sar",
            Program::Vmstat => "vmstat",
            Program::Vdbench => "vdbench",
            Program::Elbencho => "elbencho",
            Program::HammerDb => "HammerDB",
            Program::CrystalDiskMark => "CrystalDiskMark",
            Program::KDiskMark => "KDiskMark",
        }
    }

    /// Are its rows the series of disks, processors and the machine, and no tests?
    pub const fn is_of_machine(self) -> bool {
        matches!(self, Program::Iostat | Program::Mpstat | Program::Sar | Program::Vmstat)
    }
}

/// A form in which a program prints its results.
#[derive(Clone, Copy, Debug)]
pub struct ProgramFormat {
    /// The program.
    pub program: Program,
    /// Is a file of this form that begins so?
    pub is_it: fn(&str) -> bool,
    /// Reads a whole file: the runs in it, in their order. A run without a row has findings that say why.
    pub parse: fn(&str) -> Vec<ProgramResult>,
}

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
