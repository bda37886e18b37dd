//! The columns of sysstat and `vmstat`: which figure each of them is, in text and in JSON.

use super::number::{KIB, MIB, MS};

/// What a column is of, where its table has no column of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// All disks together.
    Disks,
    /// All processors together.
    Cpus,
    /// The machine.
    Machine,
}

impl Of {
    /// The key of its row.
    pub fn key(self) -> &'static str {
        match self {
            Of::Disks => "all disks",
            Of::Cpus => ALL_CPUS,
            Of::Machine => "machine",
        }
    }
}

/// The key of all processors together.
pub(super) const ALL_CPUS: &str = "all CPUs";

/// A figure, and the columns that hold it.
#[derive(Debug)]
pub(super) struct Slot {
    /// The metric.
    pub metric: &'static str,
    /// Its direction.
    pub direction: &'static str,
    /// What it is of.
    pub of: Of,
    /// Its headings, the best first, and what one of each is in the base unit.
    pub names: &'static [(&'static str, f64)],
    /// The headings of what it is the mean of; empty where each report weighs the same.
    pub by: &'static [&'static str],
}

macro_rules! slot {
    ($metric:literal $direction:literal $of:ident [$($name:literal * $factor:expr),+] by [$($by:literal),*]) => {
        Slot { metric: $metric, direction: $direction, of: Of::$of, names: &[$(($name, $factor)),+], by: &[$($by),*] }
    };
}

/// Bytes of a sector, in which older versions count.
const SECTOR: f64 = 512.0;

/// All columns of sysstat. `kB` are 1,024 bytes.
pub(super) const SYSSTAT: &[Slot] = &[
    slot!("iops" "read" Disks ["r/s" * 1.0, "rtps" * 1.0] by []),
    slot!("iops" "write" Disks ["w/s" * 1.0, "wtps" * 1.0] by []),
    slot!("iops" "trim" Disks ["d/s" * 1.0, "dtps" * 1.0] by []),
    slot!("iops" "mixed" Disks ["tps" * 1.0] by []),
    slot!("bandwidth" "read" Disks ["rkB/s" * KIB, "rkB" * KIB, "rMB/s" * MIB, "rsec/s" * SECTOR, "rd_sec/s" * SECTOR,
        "rd_sec" * SECTOR, "kB_read/s" * KIB, "MB_read/s" * MIB, "Blk_read/s" * SECTOR, "bread/s" * SECTOR, "bread" * SECTOR] by []),
    slot!("bandwidth" "write" Disks ["wkB/s" * KIB, "wkB" * KIB, "wMB/s" * MIB, "wsec/s" * SECTOR, "wr_sec/s" * SECTOR,
        "wr_sec" * SECTOR, "kB_wrtn/s" * KIB, "MB_wrtn/s" * MIB, "Blk_wrtn/s" * SECTOR, "bwrtn/s" * SECTOR, "bwrtn" * SECTOR] by []),
    slot!("bandwidth" "trim" Disks ["dkB/s" * KIB, "dkB" * KIB, "dMB/s" * MIB, "dc_sec" * SECTOR, "kB_dscd/s" * KIB,
        "MB_dscd/s" * MIB, "Blk_dscd/s" * SECTOR, "bdscd/s" * SECTOR, "bdscd" * SECTOR] by []),
    slot!("bandwidth" "mixed" Disks ["kB/s" * KIB, "MB/s" * MIB] by []),
    slot!("latency_mean" "read" Disks ["r_await" * MS] by ["r/s"]),
    slot!("latency_mean" "write" Disks ["w_await" * MS] by ["w/s"]),
    slot!("latency_mean" "trim" Disks ["d_await" * MS] by ["d/s"]),
    slot!("latency_mean" "mixed" Disks ["await" * MS] by ["tps", "r/s", "w/s"]),
    slot!("device_size" "read" Disks ["rareq-sz" * KIB] by ["r/s"]),
    slot!("device_size" "write" Disks ["wareq-sz" * KIB] by ["w/s"]),
    slot!("device_size" "trim" Disks ["dareq-sz" * KIB] by ["d/s"]),
    slot!("device_size" "mixed" Disks ["areq-sz" * KIB, "avgrq-sz" * SECTOR] by ["tps", "r/s", "w/s"]),
    slot!("syncs" "" Disks ["f/s" * 1.0] by []),
    slot!("sync_mean" "" Disks ["f_await" * MS] by ["f/s"]),
    slot!("in_flight" "" Disks ["aqu-sz" * 1.0, "avgqu-sz" * 1.0] by []),
    slot!("busy" "" Disks ["%util" * 1.0, "util" * 1.0, "util-percent" * 1.0] by []),
    slot!("cpu_user" "" Cpus ["%user" * 1.0, "%usr" * 1.0, "user" * 1.0, "usr" * 1.0] by []),
    slot!("cpu_system" "" Cpus ["%system" * 1.0, "%sys" * 1.0, "system" * 1.0, "sys" * 1.0] by []),
    slot!("cpu_iowait" "" Cpus ["%iowait" * 1.0, "iowait" * 1.0] by []),
    slot!("cpu_irq" "" Cpus ["%irq" * 1.0, "irq" * 1.0] by []),
    slot!("cpu_softirq" "" Cpus ["%soft" * 1.0, "soft" * 1.0] by []),
    slot!("cpu_steal" "" Cpus ["%steal" * 1.0, "steal" * 1.0] by []),
    slot!("cpu_idle" "" Cpus ["%idle" * 1.0, "idle" * 1.0] by []),
    slot!("interrupts" "" Machine ["intr/s" * 1.0] by []),
    slot!("context_switches" "" Machine ["cswch/s" * 1.0, "cswch" * 1.0] by []),
    slot!("runnable" "" Machine ["runq-sz" * 1.0] by []),
    slot!("blocked" "" Machine ["blocked" * 1.0] by []),
];

/// The columns of `vmstat`. Its blocks are 1,024 bytes, whatever `-S` says: that changes the memory only.
pub(super) const VMSTAT: &[Slot] = &[
    slot!("bandwidth" "read" Disks ["bi" * KIB] by []),
    slot!("bandwidth" "write" Disks ["bo" * KIB] by []),
    slot!("cpu_user" "" Cpus ["us" * 1.0] by []),
    slot!("cpu_system" "" Cpus ["sy" * 1.0] by []),
    slot!("cpu_iowait" "" Cpus ["wa" * 1.0] by []),
    slot!("cpu_steal" "" Cpus ["st" * 1.0] by []),
    slot!("cpu_idle" "" Cpus ["id" * 1.0] by []),
    slot!("interrupts" "" Machine ["in" * 1.0] by []),
    slot!("context_switches" "" Machine ["cs" * 1.0] by []),
    slot!("runnable" "" Machine ["r" * 1.0] by []),
    slot!("blocked" "" Machine ["b" * 1.0] by []),
];

/// Headings that say what the tables of sysstat hold without being a figure: keys, merges, shares of them, and sums over the whole time.
pub(super) const SILENT: &[&str] = &[
    "Device", "Device:", "DEV", "CPU", "INTR", "avg-cpu:", "%nice", "nice", "%gnice", "gnice", "%guest",
    "guest", "svctm", "%svctm",
];
