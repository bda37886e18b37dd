//! The programs.

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
